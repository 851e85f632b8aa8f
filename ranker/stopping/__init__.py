"""Stop advice: a model that forecasts how many relevant papers remain, its calibration, and its audit."""
