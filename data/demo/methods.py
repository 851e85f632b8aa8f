"""Research methods of the invented papers. The kind of method determines the structure of the abstract."""

from dataclasses import dataclass

from presort.data.demo.grammar import Phrase


@dataclass(frozen=True, slots=True)
class Method:
    """Research method, with its kind, name (including any article), JEL code, sentences and topics."""

    kind: str
    name: Phrase
    code: str
    sentences: tuple[str, ...]
    topics: frozenset[str]  # topics in which the method is used; empty if it is used in all topics


def _method(kind: str, code: str, name: str, *sentences: str, only: str = "") -> Method:
    return Method(kind, Phrase(name.removesuffix("+"), name.endswith("+")), code, sentences, frozenset(only.split()))


# fmt: off
METHODS: tuple[Method, ...] = (
    _method("design", "C21", "a difference-in-differences design",
        "We compare {group} with others before and after {year} in a difference-in-differences design.",
        "A difference-in-differences design exploits the staggered timing across regions.",
        "Parallel trends before {year} support our difference-in-differences design."),
    _method("design", "C21", "a regression discontinuity design",
        "Identification comes from a regression discontinuity at an administrative threshold.",
        "We exploit a sharp cutoff in eligibility and use a regression discontinuity design.",
        "A regression discontinuity design compares {group} just above and just below a threshold."),
    _method("design", "C26", "instrumental variables+",
        "To deal with endogeneity, we use distance as an instrumental variable.",
        "Our instrument combines past shares with national shocks.",
        "Instrumental variable estimates are larger than those by least squares."),
    _method("design", "C23", "an event study",
        "An event study traces the response year by year.",
        "We estimate an event study with region and year fixed effects.",
        "The event study shows no sign of anticipation before {year}."),
    _method("design", "C23", "panel regressions+",
        "We estimate panel regressions with fixed effects for regions and years.",
        "Fixed effects take out everything that is constant within a region.",
        "Dynamic panel regressions account for persistence."),
    _method("design", "C31", "a synthetic control",
        "A synthetic control, made of similar places, serves as the counterfactual.",
        "We construct a synthetic control for each treated region."),
    _method("series", "C32", "a structural vector autoregression",
        "A structural vector autoregression with sign restrictions identifies the shocks.",
        "We identify shocks in a Bayesian vector autoregression with external instruments.",
        only="cycles monetary growth tax energy labour trade banking climate"),
    _method("series", "C32", "local projections+",
        "Local projections trace the responses over {quarters} quarters.",
        "We estimate state-dependent local projections that tell recessions from booms."),
    _method("series", "C38", "a dynamic factor model",
        "A dynamic factor model with time-varying volatility separates common from specific movements.",
        "We extract common factors from {smallcount} monthly indicators.",
        only="cycles monetary assets banking energy labour"),
    _method("series", "C22", "a GARCH model",
        "Conditional volatility is estimated by a GARCH model with asymmetric effects.",
        "We let volatility follow a GARCH process with regime switches.",
        only="assets energy monetary"),
    _method("series", "C53", "a mixed-frequency forecast",
        "Out-of-sample forecasts combine daily and monthly information.",
        "We compare real-time forecasts with those of a random walk.",
        only="cycles monetary assets energy trade housing sports farming"),
    _method("model", "C68", "a general equilibrium model",
        "We build a general equilibrium model in which {channel} {channel:shapes|shape} {outcome}.",
        "The computable general equilibrium model distinguishes {smallcount} sectors."),
    _method("model", "E12", "a New Keynesian model",
        "Our New Keynesian model features heterogeneous households and {channel}.",
        "We estimate a medium-scale New Keynesian model by Bayesian methods.",
        only="cycles monetary growth tax"),
    _method("model", "D15", "a life-cycle model",
        "A life-cycle model with idiosyncratic risk links {cause} to {outcome}.",
        "We estimate a dynamic life-cycle model by simulated moments.",
        only="labour gender pensions health education tax housing assets migration"),
    _method("model", "J64", "a search and matching model",
        "In our search and matching model, {channel} {channel:interacts|interact} with endogenous separations.",
        "We extend a search and matching model by {cause}.",
        only="labour gender migration pensions cycles"),
    _method("model", "C72", "a game-theoretic model",
        "We set up a two-stage game in which {group} move first.",
        "In equilibrium, {channel} {channel:determines|determine} who takes part.",
        only="behaviour politics competition innovation climate banking sports trade tax energy"),
    _method("model", "L13", "a structural demand model",
        "We estimate a structural model of demand and supply with random coefficients.",
        "The structural model lets tastes differ across {group}.",
        only="competition energy health housing education innovation banking trade sports gender"),
    _method("trial", "C91", "a laboratory experiment",
        "In a laboratory experiment with {people} subjects, we vary {cause} between treatments.",
        "Subjects in the laboratory play {smallcount} rounds with random matching.",
        only="behaviour politics assets competition gender tax climate sports"),
    _method("trial", "C99", "an online experiment",
        "In an online experiment, {people} participants from {place} are randomly assigned to one of four treatments.",
        "A preregistered online experiment varies {cause} and holds incentives fixed.",
        only="behaviour gender politics assets migration climate energy monetary pensions sports labour"),
    _method("trial", "C93", "a field experiment",
        "In a field experiment in {place} with {people} participants, a random half is offered the programme.",
        "A randomised controlled trial in {smallcount} districts of {place} varies {cause}.",
        only="development farming education health energy gender behaviour politics tax innovation"),
    _method("trial", "C83", "a survey experiment",
        "We embed a randomised information treatment in a survey of {people} respondents.",
        "A survey experiment shows respondents the true figures on {outcome}."),
    _method("learning", "C45", "neural networks+",
        "Neural networks capture nonlinear patterns that a linear benchmark leaves out.",
        "We train a recurrent neural network on {people} sequences."),
    _method("learning", "C55", "random forests+",
        "Random forests and boosted trees choose among {smallcount} predictors.",
        "Causal forests reveal where the machine learning gain comes from."),
    _method("learning", "C81", "text analysis",
        "We apply natural language processing to {people} documents and classify them with a large language model.",
        "Text analysis turns newspaper articles into a monthly index."),
    _method("learning", "C81", "satellite images+",
        "Deep learning on satellite images measures {outcome} where statistics are missing.",
        "A convolutional network turns satellite images into local estimates."),
    _method("asymptotic", "C15", "Monte Carlo simulations+",
        "Monte Carlo simulations show accurate {outcome} in {group}.",
        "In simulations the procedure performs well with as few as {smallcount} clusters."),
    _method("asymptotic", "C14", "nonparametric estimation",
        "Nonparametric identification holds under weak monotonicity.",
        "A kernel-based first stage leaves the limit distribution unchanged."),
    _method("asymptotic", "C11", "Bayesian inference",
        "Posterior draws come from an efficient Gibbs sampler.",
        "We derive Bayesian inference under a hierarchical shrinkage prior."),
    _method("asymptotic", "C36", "the generalised method of moments",
        "The generalised method of moments remains valid under partial identification.",
        "We characterise the moment conditions that remain informative."),
    _method("review", "C18", "a meta-analysis",
        "The meta-analysis collects {smallcount} studies with {people} estimates.",
        "Funnel plots point to publication bias, for which we correct."),
    _method("review", "B41", "a literature review",
        "We review {smallcount} studies published since {year}.",
        "Our review sorts the literature by data, method and setting."),
)
# fmt: on


def methods_for(kind: str, topic: str) -> tuple[Method, ...]:
    """Return the methods of the given kind that are used in a topic.

    Examples
    --------
    >>> [method.name.text for method in methods_for("review", "labour")]
    ['a meta-analysis', 'a literature review']
    """
    return tuple(m for m in METHODS if m.kind == kind and (not m.topics or topic in m.topics))
