"""Patterns for titles and abstracts, grouped by kind of method.

See ``grammar`` for an explanation of the slots. Slots whose names end in 2 refer to a paper's second topic. They are
used only in `TITLES_OF_TWO` and `OF_TWO_TOPICS`, which are for papers with a second topic.
"""

# fmt: off
LEADS = (
    "mind the distance", "who pays the bill", "slow to turn", "a rising tide", "no free lunch", "shared burdens",
    "the price of waiting", "hidden in plain sight", "small steps", "winners and losers", "after the storm",
    "room for manoeuvre", "a bridge too short", "keeping up", "old habits", "the long shadow of reform",
    "uneven ground", "good intentions", "out of balance", "caught in the middle", "second chances",
    "a question of trust", "on the margin",
)
# fmt: on
TITLES = (
    "{cause} and {outcome}",
    "{cause} and {outcome}: evidence from {place}",
    "the effect of {cause} on {outcome}",
    "the effect of {cause} on {outcome}: evidence from {data}",
    "the effects of {cause} on {group} in {place}",
    "{cause:does|do} {cause} {raise} {outcome}?",
    "{cause:does|do} {cause} {raise} {outcome}? evidence from {place}",
    "how {cause:does|do} {cause} affect {outcome}?",
    "what drives {outcome}? the role of {channel}",
    "{lead}: {cause} and {outcome} in {place}",
    "{lead}? {cause} and {group}",
    "{channel} and {outcome}",
    "{cause}, {channel} and {outcome}",
    "{outcome} in {place}: the role of {cause}",
    "{outcome} among {group}",
    "{cause}: lessons from {place} for {policy}",
    "understanding {outcome}",
    "{outcome}, {other} and {cause}",
    "revisiting the link between {cause} and {outcome}",
    "{lead}: {outcome} and {channel}",
    "{cause} in {place}, {span}",
    "when {cause:does|do} {cause} matter for {group}?",
    "the unintended consequences of {cause}: {outcome} and {other}",
)
TITLES_OF_TWO = (
    "{cause}, {outcome} and {outcome2}",
    "{outcome} and {outcome2} in {place}",
    "{theme} and {theme2}: what do {group} tell us?",
    "the effect of {cause} on {outcome} and {outcome2}",
    "{cause} meets {cause2}: evidence on {outcome}",
    "linking {outcome} to {outcome2}: the role of {channel}",
)
TITLES_OF_KIND = {
    "design": (
        "{cause} and {outcome}: {method}",
        "the causal effect of {cause} on {outcome}",
        "{outcome} after {cause}: evidence from {a nation} reform",
        "short- and long-run effects of {cause} on {group}",
        "{lead}: quasi-experimental evidence on {cause} and {outcome}",
    ),
    "series": (
        "the dynamic effects of {cause} on {outcome}",
        "forecasting {outcome} in {place}",
        "{outcome} and {other} over time: {method}",
        "is the response of {outcome} to {cause} asymmetric?",
        "time-varying {outcome} and {cause}: the case of {place}",
    ),
    "model": (
        "{cause} in {method}",
        "{outcome} and {channel}: {method}",
        "optimal policy, {cause} and {outcome}",
        "quantifying the role of {cause} for {outcome}",
        "a theory of {outcome} with {channel}",
    ),
    "trial": (
        "{cause} and {outcome}: {method}",
        "experimental evidence on {cause} and {outcome}",
        "{lead}: {method} on {outcome}",
        "can {cause} {raise} {outcome}? {method} in {place}",
        "{cause}, {channel} and {outcome}: experimental evidence",
    ),
    "learning": (
        "predicting {outcome} with {method}",
        "{outcome} and {cause}: a machine learning approach",
        "nowcasting {outcome} in {place}",
        "what can {method} tell us about {outcome}?",
        "machine learning, {data} and {outcome}",
    ),
    "review": (
        "{cause} and {outcome}: {method}",
        "what do we know about {cause} and {outcome}?",
        "{theme}: a survey of recent findings",
        "forty years of research on {outcome}",
    ),
    "asymptotic": (
        "inference under {cause}",
        "{channel} for {group} with {cause}",
        "{cause} and {outcome} in {group}",
        "testing in {group} under {cause}",
        "{channel} robust to {cause}",
        "{method} with {cause}",
        "how bad {cause:is|are} {cause}? {outcome} in {group}",
        "a note on {outcome} and {cause}",
    ),
}
SPECIAL_TITLES = (  # contain characters that poorly written software mishandles
    "is $r > g$ enough? {outcome} and {cause} in {place}",
    "$\\sigma$-convergence of {outcome} in {place}",
    "{outcome} when $\\beta < 1$: {cause} reconsidered",
    "R&D, {cause} & {outcome}",
    'the "{lead}" puzzle: {cause} and {outcome}',
    "is it “{lead}”? {cause} & {group}",
    "{outcome} <-> {cause}: which way round?",
    "{cause} & {outcome}: p < 0.05 and then?",
    "{cause} -- a 'natural' experiment in {place}?",
)
LONG_TAILS = (  # used for titles of thirty words or more
    ", {other} and {channel}: new evidence from {data} covering {group} and others in {place} {years}, "
    "with special regard to {policy}",
    " among {group} in {place} {years}: a comparison of {method} with earlier approaches to {theme}, some remarks on "
    "{channel}, and what follows for {policy}",
)

OPENINGS = (
    "How {cause} {cause:affects|affect} {outcome} is an open question.",
    "We study the effect of {cause} on {outcome} in {place}.",
    "This paper asks whether {cause} can {raise} {outcome}.",
    "{outcome} {outcome:differs|differ} widely across regions, and {cause} may be one reason.",
    "Much is known about {cause}, but little about {cause:its|their} effect on {outcome}.",
    "Policy makers often expect {cause} to {raise} {outcome}.",
    "Research on {theme} has long linked {cause} to {outcome}.",
    "Since {year}, {outcome} in {place} {outcome:has|have} {risen} markedly.",
    "The debate on {policy} often turns on {cause}.",
    "We revisit the relation between {cause} and {outcome}.",
    "Concern about {outcome} has put {cause} on the agenda.",
)
SAMPLES = (
    "We use {data} from {place} {years}.",
    "Drawing on {data}, we follow {group} in {place} {years}.",
    "{data} for {place} {data:allows|allow} us to observe {outcome} in detail.",
    "The analysis combines {data} with regional statistics for {place} {years}.",
    "The setting is {place}, where {cause} {cause:has|have} been at the centre of debate since {year}.",
    "{a nation} reform of {year} serves as a natural experiment.",
    "Our data cover {people} observations in {place} {years}.",
)
CALIBRATIONS = (
    "Calibrated to {data} for {place}, the model matches the main facts.",
    "We take the model to {data} for {place} {years}.",
    "The parameters are chosen to fit {outcome} and {other} in {place}.",
    "The model reproduces the response of {group} in {place}.",
)
FINDINGS = (
    "We find that {cause} {raised} {outcome} by {size} percent.",
    "The estimates imply that {cause} {cause:accounts|account} for {size} percent of the change in {outcome}.",
    "Where exposure to {cause} is stronger, {outcome} {outcome:is|are} {size} percent {higher}.",
    "Contrary to common belief, {cause} {cause:has|have} hardly any effect on {outcome}: "
    "we can rule out more than {size} percent.",
    "On average, {outcome} {rose} by {size} percent over {fewcount} years.",
    "The preferred estimate is an elasticity of {decimal} for {outcome}.",
    "The results show {a size} percent change in {outcome} due to {cause}.",
)
DYNAMICS = (
    "{outcome} {rose} by {size} percent within {quarters} quarters after a shock.",
    "The response of {outcome} peaks at {size} percent after {quarters} quarters.",
    "{cause} {cause:explains|explain} {size} percent of the variance of {outcome} at long horizons.",
    "Including {cause} reduces forecast errors for {outcome} by {size} percent.",
)
COUNTERFACTUALS = (
    "Quantitatively, {cause} {raised} {outcome} by {size} percent in the long run.",
    "Without {cause}, {outcome} would be {size} percent {lower}.",
    "Shutting down {channel} would change {outcome} by only {size} percent.",
    "The welfare gain equals {decimal} percent of lifetime consumption.",
    "The optimal policy {raises} {outcome} by {size} percent.",
)
TREATMENTS = (
    "In the treatment group, {outcome} {outcome:was|were} {size} percent {higher}.",
    "The treatment {raised} {outcome} by {decimal} standard deviations.",
    "We find that {cause} {raised} {outcome} by {size} percent, though not in all treatments.",
    "Against our hypothesis, {cause} left {outcome} unchanged in all but {a size} percent subgroup.",
)
PREDICTIONS = (
    "Out of sample, the prediction error for {outcome} falls by {size} percent against a linear benchmark.",
    "{cause} {cause:emerges|emerge} as the strongest predictor of {outcome}.",
    "The algorithm classifies {size} percent more cases correctly than standard regressions.",
    "Gains from machine learning are largest where {outcome} {outcome:is|are} hard to measure.",
)
SYNTHESES = (
    "On average, {cause} {raised} {outcome} by {size} percent, but estimates vary widely.",
    "Studies on {place} report larger effects than those elsewhere.",
    "Once publication bias is removed, the effect on {outcome} shrinks to {size} percent.",
)
GROUPS = (
    "The effect is largest for {group}.",
    "{group} respond most, while others hardly change.",
    "We find no effect for {group}.",
    "Effects are concentrated among {group} and fade after {fewcount} years.",
    "For {group} the sign is reversed.",
)
CHANNELS = (
    "{channel} {channel:explains|explain} much of this effect.",
    "We show that {channel} {channel:is|are} the main mechanism.",
    "The result is consistent with {channel}.",
    "The evidence points to {channel} as the driving force.",
    "Changes in {other} suggest that {channel} {channel:plays|play} a part.",
)
LINKS = (  # only for papers with a second topic
    "We also document a sizeable effect on {outcome2}.",
    "{cause2} {cause2:amplifies|amplify} the effect.",
    "The effect on {outcome2} is smaller but lasting.",
    "Our results connect the literature on {theme} with that on {theme2}.",
    "The findings hold when we control for {cause2}.",
    "Among {group2}, {outcome2} {outcome2:moves|move} in the same direction.",
    "{channel2} {channel2:matters|matter} too, as does {theme2} more widely.",
)
CHECKS = (
    "The results are robust to alternative specifications and samples.",
    "Placebo tests support a causal reading.",
    "The estimates change little when {other} {other:is|are} used as the outcome.",
    "A battery of tests confirms the main result.",
    "Results for {year} and later are similar.",
)
LESSONS = (
    "The findings matter for {policy}.",
    "Our results suggest that {policy} should take {channel} into account.",
    "We conclude with lessons for {policy}.",
    "These results inform the debate on {policy}.",
    "The evidence calls for caution in matters of {policy}.",
    "Implications for {policy} are discussed.",
)
PROBLEMS = (
    "Applied researchers often face {cause}.",
    "Standard methods fail when {cause} {cause:is|are} present.",
    "This paper studies estimation and inference under {cause}.",
    "We reconsider {outcome} in {group}.",
    "It is well known that {cause} can distort {outcome}.",
)
PROPOSALS = (
    "We propose {channel} that is robust to {cause}.",
    "This paper develops {channel} for {group}.",
    "Our solution is {channel} that needs no tuning.",
)
LIMITS = (
    "The estimator is consistent and asymptotically normal as both dimensions grow.",
    "We derive the limit distribution under mild conditions.",
    "Compared with existing tests, {outcome} {outcome:improves|improve} by up to {size} percent.",
    "The proposed test controls size uniformly and has power against local alternatives.",
)
APPLICATIONS = (  # only for papers with a second topic
    "An application to {outcome2} illustrates the method.",
    "We apply the procedure to {data2} and find that conventional standard errors are too small.",
    "Revisiting the effect of {cause2} on {outcome2}, we find wider confidence intervals.",
)
TOOLS = (
    "The method is easy to implement.",
    "An open-source package is available.",
    "We give recommendations for {policy}.",
)

METHOD = ("",)  # placeholder for the sentences from the paper's method

# Structure of abstracts, by kind of method: the lists of sentences in the order of the abstract, each with the
# probability that an abstract contains a sentence from the list.
Shape = tuple[tuple[tuple[str, ...], float], ...]
_ENDING: Shape = ((CHANNELS, 0.5), (LINKS, 0.75), (CHECKS, 0.25), (LESSONS, 0.6))
SHAPES: dict[str, Shape] = {
    "design": ((OPENINGS, 1), (SAMPLES, 1), (METHOD, 1), (FINDINGS, 1), (GROUPS, 0.5), *_ENDING),
    "series": ((OPENINGS, 1), (SAMPLES, 1), (METHOD, 1), (DYNAMICS, 1), (FINDINGS, 0.2), (GROUPS, 0.2), *_ENDING),
    "model": ((OPENINGS, 1), (METHOD, 1), (CALIBRATIONS, 1), (COUNTERFACTUALS, 1), (GROUPS, 0.3), *_ENDING),
    "trial": ((OPENINGS, 1), (METHOD, 1), (TREATMENTS, 1), (GROUPS, 1), *_ENDING),
    "learning": ((OPENINGS, 1), (SAMPLES, 1), (METHOD, 1), (PREDICTIONS, 1), (FINDINGS, 0.2), *_ENDING),
    "review": ((OPENINGS, 1), (METHOD, 1), (SYNTHESES, 1), (GROUPS, 1), *_ENDING),
    "asymptotic": ((PROBLEMS, 1), (PROPOSALS, 1), (LIMITS, 1), (METHOD, 1), (APPLICATIONS, 0.9), (TOOLS, 0.5)),
}
OF_TWO_TOPICS = (LINKS, APPLICATIONS)
