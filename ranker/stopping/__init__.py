"""When an editor may stop reading: a model of how many relevant papers remain, its calibration and its audit."""
