"""Neural network that corrects the margins of support vector machines (SVMs), using features that the SVMs lack.

The output for a report is the weighted margin of its own SVM plus a correction. The correction comes from one hidden
layer over the margins of all reports, the paper's topics and its authors' records. All reports share this layer. The
network is trained with Adam on a weighted logistic loss.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from presort.ranker.parallel import run_in_processes
from presort.ranker.recipe import Labels, Table

DECIMALS = 6  # decimals of a score; later decimals may differ, because not all machines sum in the same order
FADING, FADING_SQUARES = 0.9, 0.999  # Adam's decay rates for past gradients and for their squares


class Weights(NamedTuple):
    """Trained weights of a network.

    Attributes
    ----------
    into : array of shape (n_inputs, n_hidden)
        Weights from the inputs to the hidden units.
    bias : array of shape (n_hidden,)
        Biases of the hidden units.
    out_of : array of shape (n_hidden, n_reports)
        Weights from the hidden units to the reports.
    bias_of_reports, weight_of_margins : arrays of shape (n_reports,)
        Each report's output bias, and the weight of its own SVM's margin.
    """

    into: Table
    bias: Table
    out_of: Table
    bias_of_reports: Table
    weight_of_margins: Table


@dataclass(frozen=True)
class Network:
    """Settings for the network. The trained network is a `Weights`.

    Attributes
    ----------
    n_hidden : int
        Number of hidden units.
    n_epochs, n_batch : int
        Number of passes over the papers, and number of papers per batch.
    rate : float
        Initial learning rate. It falls linearly to 0.
    dropout, dropout_inputs : float
        Shares of the hidden units and of the inputs that are dropped at random in each step.
    decay : float
        Weight decay.
    seeds : tuple of int
        Random seeds. One network is trained per seed, and their outputs are averaged.
    few : int
        Number n0 of relevant paper-report pairs at which the correction is halved. With n pairs, the correction is
        scaled by n / (n + n0).
    """

    n_hidden: int = 256
    n_epochs: int = 10
    n_batch: int = 256
    rate: float = 3e-3
    dropout: float = 0.5
    dropout_inputs: float = 0.2
    decay: float = 1e-4
    seeds: tuple[int, ...] = (0, 1)
    few: int = 5_000

    def train(self, inputs: Table, margins: Table, y: Labels, n_jobs: int = 1) -> list[Weights]:
        """Train one network per seed on past papers.

        Parameters
        ----------
        inputs : array of shape (n_papers, n_inputs)
            Features on a similar scale. Single precision is allowed, to save memory.
        margins : array of shape (n_papers, n_reports)
            Margins of SVMs that were not trained on the papers.
        y : array of shape (n_papers, n_reports)
            Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
        n_jobs : int
            Number of processes. Each process trains one network at a time.

        Notes
        -----
        Sums are computed in double precision. In single precision, the order of summation, which differs between
        machines, would change the second digit of the outputs.
        """
        calls = ((seed,) for seed in self.seeds)
        with closing(run_in_processes(self._fit, (inputs, margins, y), calls, n_jobs)) as ready:
            learned = dict(ready)
        n_relevant = np.count_nonzero(y == 1)
        return [_scale_correction(learned[seed], n_relevant / (n_relevant + self.few)) for seed in self.seeds]

    def _fit(self, inputs: Table, margins: Table, y: Labels, seed: int) -> tuple[int, Weights]:
        rng = np.random.default_rng(seed)
        n_papers, n_reports = y.shape
        weights = Weights(
            into=rng.normal(size=(inputs.shape[1], self.n_hidden)) * np.sqrt(2 / inputs.shape[1]),
            bias=np.zeros(self.n_hidden),
            out_of=rng.normal(size=(self.n_hidden, n_reports)) * np.sqrt(0.25 / self.n_hidden),
            bias_of_reports=np.zeros(n_reports),
            weight_of_margins=np.ones(n_reports),  # training starts with the SVMs' margins as outputs
        )
        means, squares = ([np.zeros_like(weight) for weight in weights] for _ in range(2))
        weigh = importance(y)
        n_batches = n_papers // self.n_batch + 1
        n_steps = self.n_epochs * n_batches
        step = 0
        for _ in range(self.n_epochs):
            for rows in np.array_split(rng.permutation(n_papers), n_batches):
                step += 1
                gradients = self._gradients(weights, inputs, margins, y, weigh, rows, rng)
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
        self,
        weights: Weights,
        inputs: Table,
        margins: Table,
        y: Labels,
        weigh: Table,
        rows: NDArray[np.intp],
        rng: np.random.Generator,
    ) -> Weights:
        """Return the gradients of a batch's loss, with one dropout mask for all its papers.

        One mask per batch is three times as fast as one mask per paper, because dropped units don't have to be
        computed. The rankings are just as good.
        """
        units, share = _draw_survivors(self.n_hidden, self.dropout, rng)
        seen, share_seen = _draw_survivors(inputs.shape[1], self.dropout_inputs, rng)
        x = inputs[np.ix_(rows, seen)] / np.float64(share_seen)
        hidden = np.maximum(x @ weights.into[np.ix_(seen, units)] + weights.bias[units], 0) / share
        output = hidden @ weights.out_of[units] + weights.bias_of_reports + margins[rows] * weights.weight_of_margins
        error = weigh[y[rows], np.arange(y.shape[1])] * (expit(output) - y[rows]) / len(rows)
        hidden_error = (error @ weights.out_of[units].T) * (hidden > 0) / share
        into, bias, out_of = (np.zeros_like(weight) for weight in (weights.into, weights.bias, weights.out_of))
        into[np.ix_(seen, units)] = x.T @ hidden_error
        bias[units] = hidden_error.sum(axis=0)
        out_of[units] = hidden.T @ error
        return Weights(into, bias, out_of, error.sum(axis=0), (error * margins[rows]).sum(axis=0))


def mean_outputs(networks: Sequence[Weights], inputs: Table, margins: Table) -> Table:
    """Return the networks' mean output for papers, in log odds, shape (n_papers, n_reports)."""
    outputs = (_output_of_hidden(weights, hidden_layer(weights, inputs), margins) for weights in networks)
    return sum(outputs, start=np.zeros(margins.shape)) / len(networks)


def disable_correction(weights: Weights) -> Weights:
    """Return a network whose outputs equal the margins."""
    return _scale_correction(weights, 0)._replace(weight_of_margins=np.ones_like(weights.weight_of_margins))


def _scale_correction(weights: Weights, share: float) -> Weights:
    """Scale the correction of the margins by a factor."""
    return weights._replace(out_of=share * weights.out_of, bias_of_reports=share * weights.bias_of_reports)


def slopes(networks: Sequence[Weights], inputs: Table, report: int) -> tuple[Table, float]:
    """Return the derivatives of a paper's output for a report with respect to each input and the report's own margin.

    The networks are piecewise linear: as long as no hidden unit switches on or off, the output is a linear function of
    the inputs. The inputs times their slopes therefore sum to the output, up to a constant.
    """
    of_inputs, of_margin = np.zeros(len(inputs)), 0.0
    for weights in networks:
        is_on = inputs @ weights.into + weights.bias > 0
        of_inputs += weights.into @ (is_on * weights.out_of[:, report]) / len(networks)
        of_margin += weights.weight_of_margins[report] / len(networks)
    return of_inputs, of_margin


def importance(y: Labels) -> Table:
    """Return each report's weights for labels 0, 1 and -1, shape (3, n_reports). The weight for -1 (last row) is 0.

    The other weights are inversely proportional to the square root of the number of papers with the label. The mean
    weight of a report's papers is 1.
    """
    n_relevant, n_others = (y == 1).sum(axis=0) + 1.0, (y == 0).sum(axis=0) + 1.0
    times = np.sqrt(n_others / n_relevant)
    scale = (n_relevant + n_others) / (n_relevant * times + n_others)
    return np.array([scale, times * scale, np.zeros(y.shape[1])])


def _draw_survivors(n: int, share_dropped: float, rng: np.random.Generator) -> tuple[NDArray[np.intp], float]:
    """Draw the indexes below `n` that survive dropout. Also return the expected share of survivors."""
    return np.flatnonzero(rng.random(n) >= share_dropped), 1 - share_dropped


def hidden_layer(weights: Weights, x: Table) -> Table:
    """Return the hidden units' outputs for papers, shape (n_papers, n_hidden)."""
    hidden: Table = np.maximum(x @ weights.into + weights.bias, 0)
    return hidden


def _output_of_hidden(weights: Weights, hidden: Table, margins: Table) -> Table:
    output: Table = hidden @ weights.out_of + weights.bias_of_reports + margins * weights.weight_of_margins
    return output
