"""Charts: from a table to an Altair chart, nothing else; here what they share."""

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # told apart by colour-blind readers
DASHES = [[1, 0], [8, 3], [3, 2], [10, 3, 2, 3], [5, 4], [12, 2]]  # and on paper without colour, or one over another
GREY = "#9AA0A6"  # seen on white and on black
RED = "#D0342C"
# Of an axis in powers of ten, of percent: 0.005 %, and 3.2e-412 %, which JavaScript would take for 0.
POWER_LABEL = (
    "(datum.value < -3 ? format(pow(10, datum.value - floor(datum.value)), '.2~g') + 'e' + floor(datum.value)"
    " : format(pow(10, datum.value), '.4~g')) + ' %'"
)
