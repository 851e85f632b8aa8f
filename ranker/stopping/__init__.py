"""Stop advice: a model of how many relevant papers remain, its calibration and its audit."""
