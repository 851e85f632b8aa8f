"""Subjects of the invented papers: two dozen topics, each with its vocabulary.

In each list, the first phrases are used most often, and ``+`` marks a plural. A paper describes how a cause makes an
outcome rise or fall through a channel. Groups are the people affected, and their phrases are always plural. The
paper also gives advice on a policy.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from presort.data.demo.grammar import Phrase, phrases


@dataclass(frozen=True)
class Topic:
    """Research topic, with its frequency, methods, related topics and vocabulary."""

    weight: float  # relative frequency
    kinds: Mapping[str, float]  # mapping from kind of method to weight
    near: tuple[str, ...]  # topics that often occur together with this topic
    region: str  # region of the countries studied: "rich", "emerging" or "any"
    codes: tuple[str, ...]  # JEL codes
    theme: Phrase
    outcomes: tuple[Phrase, ...]
    causes: tuple[Phrase, ...]
    groups: tuple[Phrase, ...]
    channels: tuple[Phrase, ...]
    data: tuple[Phrase, ...]
    policies: tuple[Phrase, ...]


def _topic(weight: float, kinds: str, near: str, region: str, codes: str, theme: str, **words: str) -> Topic:
    """Parse the compact notation of `TOPICS`. ``kinds`` lists kinds and weights, such as ``"design 6 model 2"``."""
    names = kinds.split()
    return Topic(
        weight=weight,
        kinds={name: float(share) for name, share in zip(names[::2], names[1::2], strict=True)},
        near=tuple(near.split()),
        region=region,
        codes=tuple(codes.split()),
        theme=phrases(theme)[0],
        **{name: phrases(listed) for name, listed in words.items()},
    )


# fmt: off
TOPICS: Mapping[str, Topic] = {
    "labour": _topic(
        9, "design 7 model 2 series 1 review .5 learning .4",
        "gender migration education tax cycles", "rich", "J21 J23 J31 J38 J42 J53 J63 J64", "labour markets+",
        outcomes="hourly wages+; employment; unemployment; wage inequality; hours worked+; job finding rates+; "
        "vacancies+; job turnover; labour force participation; the wage share; part-time work; job quality; "
        "overtime",
        causes="the minimum wage; unemployment benefits+; collective bargaining; employment protection; "
        "industrial robots+; employer concentration; remote work; temporary contracts+; mass layoffs+; "
        "union membership; wage subsidies+; non-compete clauses+; short-time work schemes+; "
        "pay transparency",
        groups="low-paid workers; young workers; workers without a degree; temporary staff; small employers; "
        "older jobseekers",
        channels="search frictions+; monopsony power; skill mismatch; the job ladder; worker bargaining power; "
        "task reallocation",
        data="matched employer-employee records+; labour force survey data+; payroll records+; "
        "online vacancy postings+",
        policies="the protection of low-paid workers; active labour market policy; employment law; "
        "the length of benefit spells",
    ),
    "gender": _topic(
        4, "design 7 trial 1.5 model 1 review .5",
        "labour education health behaviour", "any", "J12 J13 J16 J22 J71", "gender and the family",
        outcomes="the gender pay gap; fertility; mothers' earnings+; female employment; time spent on childcare; "
        "marriage rates+; promotion of women; divorce; the child penalty; women's bargaining power",
        causes="parental leave; public childcare; gender quotas+; motherhood; social norms+; flexible hours+; "
        "joint taxation; role models+; father's leave; divorce law",
        groups="mothers of young children; fathers; highly educated women; single parents; second earners; "
        "newly wed couples",
        channels="household specialisation; discrimination; stereotypes+; bargaining within the family; "
        "career breaks+",
        data="birth registers+; time-use diaries+; household panel data+; linked tax and family records+",
        policies="support for working parents; places in kindergartens; equal pay rules; family taxation",
    ),
    "migration": _topic(
        4, "design 7 model 1.5 trial .7 learning .4",
        "labour politics development housing", "any", "F22 J15 J61 O15 R23", "migration",
        outcomes="immigrant earnings+; native wages+; remittances+; return migration; language skills+; integration; "
        "emigration; attitudes towards immigrants+; refugee employment; residential segregation",
        causes="refugee arrivals+; visa restrictions+; language courses+; dispersal policies+; open borders+; "
        "ethnic networks+; citizenship; a travel ban; recognition of foreign diplomas; border walls+",
        groups="refugees; recent arrivals; second-generation immigrants; native workers; seasonal migrants; "
        "asylum seekers",
        channels="network effects+; skill complementarity; occupational downgrading; host-country language; "
        "selection of migrants",
        data="immigration registers+; census microdata+; border crossing records+; refugee survey data+",
        policies="the settlement of refugees; admission policy; help for newcomers; "
        "the recognition of qualifications",
    ),
    "education": _topic(
        4.5, "design 7 trial 2 review .6 model .8 learning .4",
        "labour gender behaviour development", "any", "I21 I22 I23 I24 I26 I28", "education",
        outcomes="test scores+; school attendance; university enrolment; graduation rates+; dropout; reading skills+; "
        "study effort; returns to schooling+; teacher turnover; social mobility; mathematics grades+",
        causes="class size; teacher quality; school choice; tuition fees+; early tracking; student grants+; "
        "peer effects+; school closures+; preschool attendance; tutoring; longer school days+; "
        "entrance exams+",
        groups="pupils from poor families; first-generation students; boys; low-achieving pupils; rural schools; "
        "new teachers",
        channels="parental investment; teacher expectations+; classroom disruption; student motivation; "
        "credit constraints+",
        data="national test registers+; school administrative records+; university application data+; "
        "pupil panel data+",
        policies="school funding; teacher training; admission rules; student aid",
    ),
    "health": _topic(
        5, "design 7 model 1.5 trial 1 review .6 learning .5",
        "gender pensions tax behaviour climate", "any", "I11 I12 I13 I14 I18", "health",
        outcomes="mortality; hospital admissions+; mental health; smoking; obesity; medical spending; "
        "life expectancy; sick leave; vaccination rates+; birth weight; waiting times+; drug prices+",
        causes="health insurance; co-payments+; hospital competition; a sugar tax; air pollution; "
        "physician incentives+; screening programmes+; smoking bans+; lockdowns+; generic drugs+; home care; "
        "hospital mergers+",
        groups="chronically ill patients; newborns; the uninsured; elderly patients; nurses; general practitioners",
        channels="moral hazard; adverse selection; patient information; provider-induced demand; stress",
        data="hospital discharge records+; insurance claims+; health survey data+; death registers+",
        policies="the financing of hospitals; benefit packages; prevention campaigns; the pricing of drugs",
    ),
    "tax": _topic(
        5.5, "design 6 model 3 trial .5 series .6 review .4",
        "pensions labour politics growth cycles", "rich", "H21 H22 H24 H25 H26 H31 H71", "taxation",
        outcomes="tax revenue; tax evasion; taxable income; corporate investment; profit shifting; charitable giving; "
        "wealth inequality; local public spending; tax compliance; the tax base; after-tax income",
        causes="the corporate tax rate; a wealth tax; value added tax; tax audits+; tax havens+; "
        "marginal tax rates+; property taxes+; tax credits+; third-party reporting; fiscal decentralisation; "
        "tax amnesties+; inheritance taxation",
        groups="top earners; multinational firms; the self-employed; small businesses; municipalities; "
        "wealthy families",
        channels="income shifting; tax salience; behavioural responses+; enforcement; tax competition",
        data="personal tax returns+; corporate tax records+; municipal budgets+; leaked offshore records+",
        policies="the design of the tax system; tax enforcement; the taxation of capital; grants to municipalities",
    ),
    "pensions": _topic(
        2.5, "design 4 model 4 trial .4",
        "tax health labour assets", "rich", "D14 H55 J14 J26 G51", "pensions and ageing",
        outcomes="retirement age; pension savings+; old-age poverty; annuity demand; household savings+; "
        "disability claims+; pension expenditure; bequests+",
        causes="population ageing; automatic enrolment; early retirement rules+; pension reform; longevity risk; "
        "pension advice; notional accounts+; survivor benefits+",
        groups="workers near retirement; pensioners; widows; low-income savers; future generations",
        channels="life-cycle planning; inertia; liquidity constraints+; intergenerational transfers+",
        data="pension registers+; savings account records+; survey data on retirement plans+",
        policies="the statutory retirement age; pension funding; savings incentives",
    ),
    "cycles": _topic(
        7.5, "series 5 model 6 learning .5 review .2",
        "monetary growth labour banking tax", "rich", "E21 E22 E24 E32 E37 E62", "business cycles+",
        outcomes="output; private consumption; aggregate investment; the output gap; fiscal multipliers+; "
        "inventories+; GDP growth; recession risk; aggregate volatility; consumer confidence; "
        "potential output",
        causes="government spending; uncertainty shocks+; oil price shocks+; fiscal consolidation; news shocks+; "
        "technology shocks+; supply bottlenecks+; household debt; sentiment; automatic stabilisers+; "
        "energy shocks+",
        groups="hand-to-mouth households; durable goods producers; small open economies; construction firms; "
        "indebted households",
        channels="precautionary saving; nominal rigidities+; financial frictions+; demand spillovers+; "
        "labour hoarding",
        data="quarterly national accounts+; a large macroeconomic data set; business survey data+; "
        "real-time data vintages+",
        policies="fiscal stabilisation; the timing of public investment; fiscal rules",
    ),
    "growth": _topic(
        4, "model 5 series 2 design 2 review .4",
        "innovation cycles development trade education", "any", "O11 O40 O41 O47 E23", "economic growth",
        outcomes="productivity growth; income per head; capital accumulation; structural change; convergence; "
        "total factor productivity; long-run growth; misallocation; living standards+; the capital share",
        causes="institutions+; human capital; automation; demographic change; natural resources+; infrastructure; "
        "culture; intangible capital; public debt; market integration; inequality",
        groups="latecomer economies; manufacturing plants; frontier firms; resource-rich countries; "
        "follower regions",
        channels="capital deepening; resource reallocation; knowledge diffusion; scale effects+; "
        "directed technical change",
        data="long-run historical accounts+; firm-level production data+; a panel of 94 countries; "
        "industry accounts+",
        policies="growth strategy; public investment; structural reform",
    ),
    "monetary": _topic(
        7, "series 5 model 5 design 1 learning .7 trial .3 review .2",
        "cycles banking assets trade", "rich", "E31 E43 E52 E58 E61 F33", "monetary policy",
        outcomes="inflation; inflation expectations+; interest rates+; the natural rate of interest; money demand; "
        "price stickiness; the Phillips curve slope; exchange rate volatility; term premia+; "
        "central bank credibility; core inflation",
        causes="monetary policy shocks+; quantitative easing; forward guidance; negative interest rates+; "
        "inflation targeting; central bank communication; a digital currency; central bank independence; "
        "the zero lower bound; policy rate hikes+; exchange rate interventions+; "
        "average inflation targeting",
        groups="mortgage borrowers; professional forecasters; price setters; savers; euro area members; exporters",
        channels="the bank lending channel; anchored expectations+; the cost channel; portfolio rebalancing; "
        "menu costs+",
        data="high-frequency interest rate data+; consumer price microdata+; central bank minutes+; "
        "forecaster survey data+",
        policies="the conduct of monetary policy; the monetary framework; communication with the public",
    ),
    "banking": _topic(
        6, "design 5 model 3 series 2 learning .5",
        "monetary assets housing cycles competition", "any", "G01 G21 G28 G33 E44 E51", "banking",
        outcomes="bank lending; credit supply; loan defaults+; systemic risk; bank profitability; deposit rates+; "
        "financial stability; non-performing loans+; lending standards+; firm bankruptcies+; bank leverage",
        causes="capital requirements+; stress tests+; deposit insurance; bank mergers+; macroprudential policy; "
        "fintech lenders+; bank runs+; state guarantees+; relationship lending; credit registers+; "
        "a bank levy; branch closures+",
        groups="small banks; zombie firms; bank-dependent firms; depositors; subprime borrowers; shadow banks",
        channels="collateral values+; risk shifting; maturity mismatch; information asymmetry; interbank contagion",
        data="credit register data+; supervisory bank data+; loan application records+; bank balance sheets+",
        policies="the calibration of capital buffers; bank supervision; the resolution of failing banks",
    ),
    "assets": _topic(
        7, "series 5 model 3 design 2 learning 1.6 trial .3",
        "banking monetary energy behaviour econometrics", "rich", "G11 G12 G14 G15 G17 G41", "financial markets+",
        outcomes="stock returns+; volatility; the equity premium; bond yields+; market liquidity; option prices+; "
        "credit spreads+; trading volume; fund flows+; idiosyncratic risk; price discovery; crash risk",
        causes="investor sentiment; high-frequency trading; short-selling bans+; index funds+; ESG ratings+; "
        "earnings news; crypto assets+; herding; analyst forecasts+; margin requirements+; retail trading; "
        "passive investing",
        groups="retail investors; hedge funds; market makers; pension funds; family-owned firms; mutual funds",
        channels="limits to arbitrage+; disagreement; funding liquidity; inattention; tail risk",
        data="tick-by-tick transaction data+; daily stock prices+; option quotes+; mutual fund holdings+",
        policies="market regulation; disclosure rules; circuit breakers; portfolio choice",
    ),
    "climate": _topic(
        5.5, "design 4 model 4 series 1 trial .7 learning .7 review .4",
        "energy farming health politics trade", "any", "Q51 Q52 Q53 Q54 Q56 Q58", "the economics of climate change",
        outcomes="carbon emissions+; air quality; flood damage; biodiversity; green investment; "
        "willingness to pay for clean air; the social cost of carbon; deforestation; carbon leakage; "
        "adaptation; water use",
        causes="a carbon tax; emissions trading; extreme heat; floods+; environmental regulation; "
        "border carbon adjustment; climate policy uncertainty; green subsidies+; droughts+; "
        "low-emission zones+; wildfire smoke; protected areas+",
        groups="energy-intensive firms; coastal towns; polluting plants; low-income neighbourhoods; "
        "outdoor workers",
        channels="abatement costs+; pollution spillovers+; risk perception; green innovation; insurance coverage",
        data="satellite measurements of pollution+; plant-level emission records+; weather station data+; "
        "flood maps+",
        policies="carbon pricing; planning for a warmer future; the compensation of those who lose",
    ),
    "energy": _topic(
        3.5, "series 3 design 3 model 3 learning .7 trial .4",
        "climate assets competition innovation", "rich", "Q41 Q42 Q43 Q47 Q48 L94", "energy markets+",
        outcomes="electricity prices+; electricity demand; oil prices+; solar adoption; energy efficiency; "
        "fuel poverty; wind generation; grid congestion; gas storage; heat pump sales+; battery investment",
        causes="renewable energy; smart meters+; feed-in tariffs+; real-time pricing; nuclear phase-out; "
        "fuel taxes+; home insulation; electric cars+; capacity markets+; sanctions on oil+; "
        "rooftop panels+",
        groups="industrial consumers; grid operators; electricity retailers; renters; oil producers",
        channels="the merit order effect; the rebound effect; transmission constraints+; fuel switching",
        data="hourly market data+; smart meter readings+; power plant data+; household energy bills+",
        policies="electricity market design; support for renewables; energy security",
    ),
    "development": _topic(
        6.5, "design 5 trial 4 model 1 learning .6 review .4",
        "farming health education migration growth politics", "emerging", "O12 O15 O17 O18 I32", "economic development",
        outcomes="poverty; household consumption; child labour; food security; informal employment; "
        "microenterprise profits+; school enrolment; asset ownership; child nutrition; aspirations+; "
        "village inequality",
        causes="cash transfers+; microcredit; mobile money; rural roads+; foreign aid; electrification; "
        "land titling; savings groups+; public works+; clean water; business training; civil conflict; "
        "mining",
        groups="poor households; informal firms; women in rural areas; landless families; slum dwellers; "
        "ethnic minorities",
        channels="credit constraints+; risk sharing; market access; local institutions+; psychological well-being",
        data="a village census; household living standards data+; mobile phone records+; night-time lights+",
        policies="the targeting of social assistance; poverty reduction; donor strategy; rural infrastructure",
    ),
    "farming": _topic(
        3, "design 5 trial 1.5 model 2 series 1 learning .4",
        "development climate trade", "emerging", "Q12 Q13 Q15 Q16 Q18", "agriculture",
        outcomes="crop yields+; food prices+; farm income; fertiliser use; land use; milk prices+; farm exits+; "
        "irrigation; food waste; pesticide use; herd size",
        causes="crop insurance; input subsidies+; drought-tolerant seeds+; contract farming; farm consolidation; "
        "extension services+; organic certification; weather forecasts+; land rental markets+; export bans+",
        groups="smallholders; dairy farmers; maize growers; coffee cooperatives; seasonal farm labourers",
        channels="technology adoption; price transmission; social learning; storage losses+",
        data="farm accounts+; plot-level survey data+; market price bulletins+; satellite images of crops+",
        policies="agricultural subsidies; food security; rural extension",
    ),
    "trade": _topic(
        5.5, "design 4 model 5 series 1 learning .3",
        "growth competition labour innovation politics", "any", "F10 F12 F13 F14 F15 F23", "international trade",
        outcomes="exports+; imports+; trade costs+; export prices+; product variety; offshoring; trade balances+; "
        "firm entry into export; foreign direct investment; supply chain resilience; gains from trade+",
        causes="tariffs+; free trade agreements+; import competition; sanctions+; exchange rates+; customs reform; "
        "container shipping; global value chains+; non-tariff measures+; leaving a customs union; "
        "export promotion; port congestion",
        groups="exporters; importing firms; multinational affiliates; manufacturing regions; border regions",
        channels="comparative advantage; input linkages+; market size effects+; trade diversion; quality upgrading",
        data="customs transactions+; bilateral trade flows+; input-output tables+; shipping records+",
        policies="trade negotiations; the protection of home industries; support for exporters; supply security",
    ),
    "competition": _topic(
        4.5, "design 3 model 6 trial .4 learning .5",
        "innovation banking trade energy", "rich", "D43 L11 L13 L41 L81 L86", "industrial organisation",
        outcomes="markups+; market shares+; firm entry; consumer surplus; price dispersion; product quality; "
        "collusion; retail prices+; advertising; platform fees+; vertical integration",
        causes="mergers+; digital platforms+; price algorithms+; cartel fines+; consumer reviews+; "
        "network effects+; entry barriers+; data sharing; common ownership; loyalty discounts+; "
        "public procurement; price caps+",
        groups="online retailers; incumbents; entrants; airlines; supermarket chains; sellers on platforms",
        channels="switching costs+; market power; consumer search; strategic complementarity; economies of scale+",
        data="retail scanner data+; web-scraped prices+; procurement auctions+; airline tickets+",
        policies="merger control; platform regulation; cartel enforcement",
    ),
    "innovation": _topic(
        4, "design 4 model 3 learning 1 review .4 trial .3",
        "growth competition trade education", "rich", "O31 O32 O33 O34 O38 L26", "innovation",
        outcomes="patenting; business research spending; start-up formation; knowledge spillovers+; "
        "breakthrough inventions+; technology adoption; venture capital; scientific output; "
        "inventor mobility; firm growth",
        causes="research tax credits+; patent protection; artificial intelligence; university spin-offs+; "
        "science parks+; broadband; open science; star scientists+; innovation grants+; cloud computing; "
        "standards+",
        groups="young firms; inventors; university laboratories; family businesses; technology clusters; founders",
        channels="absorptive capacity; collaboration networks+; appropriability; creative destruction",
        data="patent citations+; business registers+; innovation survey data+; grant applications+",
        policies="innovation support; intellectual property; science funding",
    ),
    "behaviour": _topic(
        5, "trial 9 model 2 design 1 review .5",
        "gender assets health education politics", "any", "C91 C92 C93 D01 D81 D91", "individual behaviour",
        outcomes="cooperation; risk taking; trust; honesty; overconfidence; patience; altruism; generosity; "
        "procrastination; loss aversion; punishment of free riders; belief updating; reciprocity",
        causes="nudges+; peer pressure; default options+; reminders+; time pressure; feedback; team incentives+; "
        "social comparison; anonymity; framing; cheap talk; competition between groups; commitment devices+",
        groups="students; high-ability subjects; risk-averse participants; teams; children; online workers",
        channels="social preferences+; limited attention; reference points+; guilt; motivated reasoning",
        data="experimental data+; decisions of 96 groups+; response times+",
        policies="public information; the design of incentives; choice architecture",
    ),
    "politics": _topic(
        4.5, "design 6 model 2 trial 1 learning .8 review .2",
        "tax development migration climate trade", "any", "D72 D73 D74 H11 P16", "political economy",
        outcomes="voter turnout; populist votes+; corruption; political trust; polarisation; public goods provision; "
        "media bias; lobbying; conflict; redistribution; state capacity; protest",
        causes="electoral reform; social media; austerity; term limits+; campaign spending; colonial rule; "
        "local newspapers+; compulsory voting; political dynasties+; decentralisation; "
        "coalition governments+; direct democracy",
        groups="swing voters; mayors; legislators; rural constituencies; bureaucrats; young citizens",
        channels="electoral accountability; information; clientelism; group identity; elite capture",
        data="precinct-level election results+; parliamentary speeches+; audit reports+; opinion polls+",
        policies="electoral rules; the fight against corruption; media regulation",
    ),
    "housing": _topic(
        3.5, "design 6 model 3 series 1 learning .5",
        "banking tax migration climate", "rich", "R14 R21 R31 R38 R41 R52", "cities and housing",
        outcomes="house prices+; rents+; home ownership; commuting times+; urban sprawl; housing supply; "
        "homelessness; gentrification; land values+; traffic congestion; neighbourhood quality",
        causes="zoning; rent control; mortgage limits+; new metro lines+; short-term rentals+; property tax reform; "
        "foreign buyers+; high-speed rail; social housing; congestion charges+; telework; cycling lanes+",
        groups="first-time buyers; tenants; landlords; inner-city districts; commuters; developers",
        channels="agglomeration economies+; supply elasticity; local amenities+; sorting; housing wealth",
        data="property transaction records+; rental listings+; land registers+; commuting flows+",
        policies="land use rules; rent regulation; transport planning; housing support",
    ),
    "sports": _topic(
        1.2, "design 6 series 1 learning 1 trial .5 model .7",
        "behaviour gender assets labour", "any", "Z20 Z21 Z22 Z23 L83", "sports",
        outcomes="match attendance; player salaries+; home advantage; competitive balance; transfer fees+; "
        "betting odds+; referee bias; team performance; ticket prices+; medal counts+",
        causes="a salary cap; coach dismissals+; video referees+; crowd support; mega-events+; prize money; "
        "league expansion; television rights+; doping controls+; relegation rules+",
        groups="football clubs; amateur runners; tennis players; star players; fans; referees",
        channels="tournament incentives+; choking under pressure; talent allocation; fan loyalty",
        data="match-level data+; player tracking data+; betting market quotes+; race results+",
        policies="the regulation of leagues; public subsidies for stadiums; anti-doping rules",
    ),
    "econometrics": _topic(
        3.8, "asymptotic 1",
        "assets cycles labour health", "any", "C12 C13 C14 C21 C23 C32 C55", "econometric methods+",
        outcomes="coverage; finite-sample bias; power; the size of tests; estimation error; forecast accuracy; "
        "rates of convergence+; standard errors+; computing time",
        causes="weak instruments+; clustered errors+; many covariates+; serial correlation; measurement error; "
        "structural breaks+; missing observations+; treatment heterogeneity; cross-sectional dependence; "
        "heavy tails+; staggered adoption",
        groups="short panels; small samples; nonlinear models; large factor models; dynamic panels; sparse designs",
        channels="a wild bootstrap; a shrinkage estimator; a two-step procedure; a debiased estimator; a sign test; "
        "a moment selection criterion; a jackknife correction; a quantile estimator",
        data="simulated panels+; a known benchmark data set",
        policies="applied work; empirical practice; the choice of standard errors",
    ),
}
# fmt: on
