"""The one list of the steps of a week's job."""

from presort.desk.weekly import notices, papers, reports, sorting, summing_up
from presort.desk.weekly.job import Step

STEPS = (
    Step("papers", papers.bring, papers.plan),
    Step("rank", sorting.rank, sorting.plan_rank, is_due=sorting.is_due),
    Step("tell", notices.tell_editors, notices.plan, needs="rank"),
    Step("send", reports.send, reports.plan),
    Step("learn", sorting.learn, sorting.plan_learn),
    Step(summing_up.NAME, summing_up.tell_director, summing_up.plan),
)
