"""Sentence vectors of papers, computed with a user-supplied ONNX model and its tokenizer."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from presort.data.errors import RefusedError
from presort.data.records import Paper, SentenceModel

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
WHOLE = "sentence_embedding"  # name of the pooled output that some models have in addition to the token outputs
TOGETHER = 32  # number of papers per batch
N_TOKENS = 128  # in experiments, longer texts took more time without improving the rankings
INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
NOT_INSTALLED = "Sentence vectors need two more libraries. Install them with: pip install 'presort[vectors]'"
BLOCK = 1 << 20  # bytes


class Encoder:
    """Sentence encoder for papers that uses a model from a folder.

    A vector is the model's pooled output or, if there is none, the mean of its token outputs, normalised to length 1.
    Apart from rounding, it depends neither on the other papers in a batch nor on their order.

    Attributes
    ----------
    model : SentenceModel
        Description of the model.
    """

    def __init__(self, folder: Path, n_tokens: int = N_TOKENS, *, name: str = "") -> None:
        """Load a model.

        Parameters
        ----------
        folder : Path
            Folder that contains ``model.onnx`` and ``tokenizer.json``.
        n_tokens : int
            Maximum number of tokens per text. Longer texts are cut off.
        name : str
            Name of the model. Defaults to the name of its folder.

        Raises
        ------
        RefusedError
            If the files are missing or invalid, or the libraries are not installed.
        """
        folder = folder.expanduser().resolve()
        self._session, self._tokenizer, self._output = _load_model(folder, n_tokens)
        found = self._run(["A first text"])
        self.model = SentenceModel(name or folder.name, _digest(folder), n_tokens, found.shape[1], str(folder))

    def encode(self, papers: Sequence[Paper]) -> NDArray[np.float16]:
        """Return the papers' vectors as an array of shape (n_papers, n_numbers)."""
        texts = [f"{paper.title}. {paper.abstract}" if paper.abstract else paper.title for paper in papers]
        vectors = np.empty((len(texts), self.model.n_numbers), dtype=np.float16)
        # Papers are sorted by length, because all texts in a batch are padded to the longest.
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        for first in range(0, len(order), TOGETHER):
            rows = order[first : first + TOGETHER]
            vectors[rows] = self._run([texts[row] for row in rows])
        if not np.isfinite(vectors).all():
            wrong = papers[int(np.argmin(np.isfinite(vectors).all(axis=1)))]
            raise RefusedError(
                f"{self.model.description} returned NaN or infinity for paper {wrong.paper_id!r}. Use another model."
            )
        return vectors

    def _select_inputs(self, given: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
        return {one.name: given[one.name] for one in self._session.get_inputs()}

    def _run(self, texts: Sequence[str]) -> NDArray[np.float64]:
        pieces = self._tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in pieces], dtype=np.int64)
        given = {"input_ids": np.array([one.ids for one in pieces], dtype=np.int64), "attention_mask": mask}
        given["token_type_ids"] = np.zeros_like(mask)
        found = np.asarray(self._session.run([self._output], self._select_inputs(given))[0], dtype=np.float64)
        if found.ndim == 3:
            found = (found * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors: NDArray[np.float64] = found / np.where(lengths > 0, lengths, 1)
        return vectors


def _load_model(folder: Path, n_tokens: int) -> "tuple[InferenceSession, Tokenizer, str]":
    """Load a model. Returns the session, the tokenizer, and the name of the output to use."""
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise RefusedError(NOT_INSTALLED) from error
    for name in (MODEL, TOKENIZER):
        if not (folder / name).is_file():
            raise RefusedError(f"{folder} has no {name}. Choose the folder of an ONNX sentence model.")
    session = _load_file(folder / MODEL, lambda path: _session(onnxruntime, path))
    tokenizer = _load_file(folder / TOKENIZER, lambda path: tokenizers.Tokenizer.from_file(path))
    tokenizer.enable_truncation(n_tokens)
    known = tokenizer.padding or {}
    tokenizer.enable_padding(**{name: known[name] for name in ("direction", "pad_id", "pad_token") if name in known})
    inputs = [one.name for one in session.get_inputs()]
    outputs = {one.name: len(one.shape) for one in session.get_outputs()}
    output = WHOLE if WHOLE in outputs else next(iter(outputs))
    if not INPUTS.issuperset(inputs) or outputs[output] not in (2, 3):
        raise RefusedError(
            f"{folder / MODEL} is not a sentence model. Inputs: {', '.join(inputs)}. Output: {output} with "
            f"{outputs[output]} dimensions."
        )
    return session, tokenizer, output


def _load_file(path: Path, how: Any) -> Any:
    try:
        return how(str(path))
    except Exception as error:  # the libraries raise exceptions of their own or a plain Exception
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise RefusedError(f"Can't read {path}: {reason[:200]}") from error


def _session(onnxruntime: Any, path: str) -> "InferenceSession":
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # leave the other cores to ranking, which may run at the same time
    options.log_severity_level = 4
    session: InferenceSession = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in (MODEL, TOKENIZER):
        with (folder / name).open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()
