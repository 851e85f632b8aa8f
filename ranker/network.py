"""A small network that corrects the margins of support vector machines by what they alone don't see.

For every report at once: margin of its own machine, plus what a hidden layer makes of the margins of all reports, the
topic of the paper and the record of its authors. Trained by the weighted logistic loss with Adam.
"""

from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ranker.parallel import in_processes
from ranker.recipe import Labels

Table = NDArray[np.float64]

FADING, FADING_SQUARES = 0.9, 0.999  # of past gradients, as Adam has them


@dataclass(frozen=True)
class Network:
    """Settings of the network; what it learns lives in arrays.

    Attributes
    ----------
    n_hidden : int
        Units of the hidden layer.
    n_epochs, n_batch : int
        Passes over the papers, and papers a step.
    rate : float
        Step length at the start; it falls to 0 in a straight line.
    dropout, dropout_inputs : float
        Share of the hidden units and of the inputs left out at random in each step.
    decay : float
        How strongly weights are drawn to 0.
    seeds : tuple of int
        One network a seed; their outputs are averaged.
    """

    n_hidden: int = 256
    n_epochs: int = 10
    n_batch: int = 512
    rate: float = 3e-3
    dropout: float = 0.5
    dropout_inputs: float = 0.2
    decay: float = 1e-4
    seeds: tuple[int, ...] = (0, 1)

    def corrected(
        self, inputs: Table, margins: Table, y: Labels, new_inputs: Table, new_margins: Table, n_jobs: int = 1
    ) -> Table:
        """Learn from past papers, and give the corrected margins of new ones.

        Parameters
        ----------
        inputs, new_inputs : arrays of shape (n_past, n_inputs) and (n_new, n_inputs)
            Each column of about unit size.
        margins, new_margins : arrays of shape (n_past, n_reports) and (n_new, n_reports)
            Those of past papers by machines that had not seen them.
        y : array of shape (n_past, n_reports)
            1 for relevant, 0 for not, -1 where the report says nothing.
        n_jobs : int
            Processes, of which one trains one network.

        Returns
        -------
        array of shape (n_new, n_reports)
            Log odds; higher is likelier relevant.

        Notes
        -----
        All in double precision: in single precision the order of sums, which differs from machine to machine, changes
        the outputs in their second digit.
        """
        calls = ((inputs, margins, y, seed) for seed in self.seeds)
        with closing(in_processes(self._fit, calls, n_jobs)) as ready:
            learned = dict(ready)
        outputs = [_output(learned[seed], new_inputs, new_margins) for seed in self.seeds]
        return sum(outputs, start=np.zeros(new_margins.shape)) / len(outputs)

    def _fit(self, inputs: Table, margins: Table, y: Labels, seed: int) -> tuple[int, list[Table]]:
        rng = np.random.default_rng(seed)
        n_papers, n_reports = y.shape
        weights = [
            rng.normal(size=(inputs.shape[1], self.n_hidden)) * np.sqrt(2 / inputs.shape[1]),
            np.zeros(self.n_hidden),
            rng.normal(size=(self.n_hidden, n_reports)) * np.sqrt(0.25 / self.n_hidden),
            np.zeros(n_reports),
            np.ones(n_reports),  # of the own margin: the network starts from what the machines say
        ]
        means, squares = ([np.zeros_like(weight) for weight in weights] for _ in range(2))
        importance = _importance(y)
        n_batches = n_papers // self.n_batch + 1
        n_steps = self.n_epochs * n_batches
        step = 0
        for _ in range(self.n_epochs):
            for rows in np.array_split(rng.permutation(n_papers), n_batches):
                step += 1
                gradients = self._gradients(weights, inputs[rows], margins[rows], y[rows], importance, rng)
                length = self.rate * (1 - step / n_steps)
                length *= np.sqrt(1 - FADING_SQUARES**step) / (1 - FADING**step)
                for weight, gradient, mean, square in zip(weights, gradients, means, squares, strict=True):
                    mean *= FADING
                    mean += (1 - FADING) * gradient
                    square *= FADING_SQUARES
                    square += (1 - FADING_SQUARES) * gradient**2
                    if weight.ndim == 2:
                        weight *= 1 - length * self.decay
                    weight -= length * mean / (np.sqrt(square) + 1e-8)
        return seed, weights

    def _gradients(
        self, weights: list[Table], x: Table, margins: Table, y: Labels, importance: Table, rng: np.random.Generator
    ) -> list[Table]:
        out_of = weights[2]
        x = x * _kept(x.shape, self.dropout_inputs, rng)
        hidden, kept = _hidden(weights, x), _kept((len(x), self.n_hidden), self.dropout, rng)
        output = _output_of_hidden(weights, hidden * kept, margins)
        error = importance[y, np.arange(y.shape[1])] * (expit(output) - y) / len(x)
        hidden_error = (error @ out_of.T) * kept * (hidden > 0)
        return [
            x.T @ hidden_error,
            hidden_error.sum(axis=0),
            (hidden * kept).T @ error,
            error.sum(axis=0),
            (error * margins).sum(axis=0),
        ]


def _importance(y: Labels) -> Table:
    """Weigh 0 and 1 of each report, shape (3, n_reports); the last row, which -1 points to, is 0.

    Relevant papers weigh as many times more as the root of how much rarer they are; a report's weights average 1.
    """
    n_relevant, n_others = (y == 1).sum(axis=0) + 1.0, (y == 0).sum(axis=0) + 1.0
    times = np.sqrt(n_others / n_relevant)
    scale = (n_relevant + n_others) / (n_relevant * times + n_others)
    return np.array([scale, times * scale, np.zeros(y.shape[1])])


def _kept(shape: tuple[int, ...], share_dropped: float, rng: np.random.Generator) -> Table:
    """Draw what is not dropped: 0, or as much more than 1 as keeps the mean."""
    is_kept = rng.random(shape, dtype=np.float32) >= share_dropped
    return is_kept.astype(np.float64) / (1 - share_dropped)


def _hidden(weights: list[Table], x: Table) -> Table:
    into, bias, *_ = weights
    return np.maximum(x @ into + bias, 0)


def _output_of_hidden(weights: list[Table], hidden: Table, margins: Table) -> Table:
    *_, out_of, bias, of_margin = weights
    output: Table = hidden @ out_of + bias + margins * of_margin
    return output


def _output(weights: list[Table], inputs: Table, margins: Table) -> Table:
    return _output_of_hidden(weights, _hidden(weights, inputs), margins)
