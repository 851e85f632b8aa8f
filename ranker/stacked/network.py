"""Small network that corrects the margins of support vector machines with features they don't use.

For every report at once: margin of its own SVM, plus what a hidden layer makes of the margins of all reports, the
topic of the paper and the record of its authors. Trained by the weighted logistic loss with Adam.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from presort.ranker.parallel import in_processes
from presort.ranker.recipe import Labels, Table

DECIMALS = 6  # of a score: a network sums in an order that differs from machine to machine
FADING, FADING_SQUARES = 0.9, 0.999  # of past gradients, as Adam has them


class Weights(NamedTuple):
    """Trained weights of a network.

    Attributes
    ----------
    into : array of shape (n_inputs, n_hidden)
        Into the hidden layer.
    bias : array of shape (n_hidden,)
        Of its units.
    out_of : array of shape (n_hidden, n_reports)
        Out of it.
    bias_of_reports, weight_of_margins : arrays of shape (n_reports,)
        Of each report, and of the margin of its own SVM.
    """

    into: Table
    bias: Table
    out_of: Table
    bias_of_reports: Table
    weight_of_margins: Table


@dataclass(frozen=True)
class Network:
    """Settings of the network. The trained weights are arrays.

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
        Weight decay.
    seeds : tuple of int
        One network a seed; their outputs are averaged.
    few : int
        Number of relevant pairs of paper and report at which the learned correction counts half. It counts less with
        fewer.
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

    def trained(self, inputs: Table, margins: Table, y: Labels, n_jobs: int = 1) -> list[Weights]:
        """Learn from past papers, once a seed.

        Parameters
        ----------
        inputs : array of shape (n_papers, n_inputs)
            Each column of about unit size; may be of single precision to save memory.
        margins : array of shape (n_papers, n_reports)
            By SVMs that had not seen the papers.
        y : array of shape (n_papers, n_reports)
            1 for relevant, 0 for not, -1 where the report says nothing.
        n_jobs : int
            Processes, of which one trains one network.

        Notes
        -----
        Sums are of double precision: in single precision their order, which differs from machine to machine, changes
        the outputs in their second digit.
        """
        calls = ((seed,) for seed in self.seeds)
        with closing(in_processes(self._fit, (inputs, margins, y), calls, n_jobs)) as ready:
            learned = dict(ready)
        n_relevant = np.count_nonzero(y == 1)
        return [_moving_less(learned[seed], n_relevant / (n_relevant + self.few)) for seed in self.seeds]

    def _fit(self, inputs: Table, margins: Table, y: Labels, seed: int) -> tuple[int, Weights]:
        rng = np.random.default_rng(seed)
        n_papers, n_reports = y.shape
        weights = Weights(
            into=rng.normal(size=(inputs.shape[1], self.n_hidden)) * np.sqrt(2 / inputs.shape[1]),
            bias=np.zeros(self.n_hidden),
            out_of=rng.normal(size=(self.n_hidden, n_reports)) * np.sqrt(0.25 / self.n_hidden),
            bias_of_reports=np.zeros(n_reports),
            weight_of_margins=np.ones(n_reports),  # the network starts from what the SVMs say
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
        """Return the gradients of the loss of a batch, with one dropout mask for all its papers.

        One mask per batch takes a third of the time of one mask per paper, because dropped units need not be computed.
        The quality is the same.
        """
        units, share = _drawn(self.n_hidden, self.dropout, rng)
        seen, share_seen = _drawn(inputs.shape[1], self.dropout_inputs, rng)
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


def corrected(networks: Sequence[Weights], inputs: Table, margins: Table) -> Table:
    """Return the mean output of the networks for papers, shape (n_papers, n_reports), as log odds."""
    outputs = (_output_of_hidden(weights, hidden_layer(weights, inputs), margins) for weights in networks)
    return sum(outputs, start=np.zeros(margins.shape)) / len(networks)


def unmoved(weights: Weights) -> Weights:
    """Return a network that leaves the margins as they are."""
    return _moving_less(weights, 0)._replace(weight_of_margins=np.ones_like(weights.weight_of_margins))


def _moving_less(weights: Weights, share: float) -> Weights:
    """Scale the learned correction of the margins."""
    return weights._replace(out_of=share * weights.out_of, bias_of_reports=share * weights.bias_of_reports)


def slopes(networks: Sequence[Weights], inputs: Table, report: int) -> tuple[Table, float]:
    """Compute how the output for one report goes up with each input of one paper, and with the report's own margin.

    The networks are linear around a paper: hidden units that are off stay off. So inputs times slopes sum to the
    output, but for a constant.
    """
    of_inputs, of_margin = np.zeros(len(inputs)), 0.0
    for weights in networks:
        is_on = inputs @ weights.into + weights.bias > 0
        of_inputs += weights.into @ (is_on * weights.out_of[:, report]) / len(networks)
        of_margin += weights.weight_of_margins[report] / len(networks)
    return of_inputs, of_margin


def importance(y: Labels) -> Table:
    """Weigh 0 and 1 of each report, shape (3, n_reports); the last row, which -1 points to, is 0.

    Relevant papers weigh as many times more as the root of how much rarer they are; a report's weights average 1.
    """
    n_relevant, n_others = (y == 1).sum(axis=0) + 1.0, (y == 0).sum(axis=0) + 1.0
    times = np.sqrt(n_others / n_relevant)
    scale = (n_relevant + n_others) / (n_relevant * times + n_others)
    return np.array([scale, times * scale, np.zeros(y.shape[1])])


def _drawn(n: int, share_dropped: float, rng: np.random.Generator) -> tuple[NDArray[np.intp], float]:
    """Draw the indexes of `n` that dropout keeps. Also return the expected share."""
    return np.flatnonzero(rng.random(n) >= share_dropped), 1 - share_dropped


def hidden_layer(weights: Weights, x: Table) -> Table:
    """Return the outputs of the hidden units for papers, shape (n_papers, n_hidden)."""
    hidden: Table = np.maximum(x @ weights.into + weights.bias, 0)
    return hidden


def _output_of_hidden(weights: Weights, hidden: Table, margins: Table) -> Table:
    output: Table = hidden @ weights.out_of + weights.bias_of_reports + margins * weights.weight_of_margins
    return output
