import gzip
import io
import os
import random
import re
import stat
import struct
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers import archives
from presort.data.importers.archives import is_archive, unpack_archive
from presort.data.importers.problems import Problems


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Folder for unpacked archives. It must be empty after the test."""
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def zip_of(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "papers.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tar_of(folder: Path, files: dict[str, bytes], *members: tarfile.TarInfo) -> Path:
    path = folder / "papers.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(bytes(member.size)))
        for name, content in files.items():
            archive.addfile(tar_member(name, size=len(content)), io.BytesIO(content))
    return path


def tar_member(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.size, member.linkname = kind, size, "/etc/passwd"
    return member


def refusal_of(path: Path) -> str:
    with pytest.raises(UnreadableFileError) as caught, unpack_archive(path):
        pass
    assert caught.value.path == path
    return str(caught.value)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_files_are_unpacked_sorted_and_with_their_names(tmp_path, place, pack):
    path = pack(tmp_path, {"b/papers.rdf": b"two", "a/papers.rdf": b"one", "a/x/c.csv": b""})
    with unpack_archive(path) as members:
        assert [(name, file.name) for name, file in members] == [
            *(("a/papers.rdf", "papers.rdf"), ("a/x/c.csv", "c.csv"), ("b/papers.rdf", "papers.rdf"))
        ]
        assert [file.read_bytes() for _, file in members] == [b"one", b"", b"two"]
        assert all(file.is_relative_to(place) for _, file in members)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_nothing_remains_after_an_error_in_the_block(tmp_path, pack):
    path = pack(tmp_path, {"a.csv": b"one"})
    with pytest.raises(ZeroDivisionError), unpack_archive(path):
        1 / 0  # noqa: B018


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_hidden_files_are_skipped(tmp_path, pack):
    hidden = ("a/.DS_Store", ".git/config", "__MACOSX/a.csv")
    path = pack(tmp_path, {"a.csv": b"one", **dict.fromkeys(hidden, b"x")})
    with unpack_archive(path) as members:
        assert [name for name, _ in members] == ["a.csv"]


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_a_nested_archive_is_skipped_with_a_message(tmp_path, pack):
    path = pack(tmp_path, {"a.csv": b"one", "more/b.ZIP": b"x", "more/c.tar.gz": b"x"})
    errors: list[UnreadableFileError] = []
    with unpack_archive(path, problems=Problems(errors.append)) as members:
        assert [name for name, _ in members] == ["a.csv"]
    assert [str(error).removeprefix(f"{path.name}: ") for error in errors] == [
        "contains another archive, more/b.ZIP. Unpack that one first",
        "contains another archive, more/c.tar.gz. Unpack that one first",
    ]
    assert "contains another archive, more/b.ZIP" in refusal_of(path)


@pytest.mark.parametrize(
    "name",
    ["../a.csv", "b/../../a.csv", "/etc/a.csv", "C:/a.csv", "c:a.csv", "..\\a.csv", "b\\..\\..\\a.csv", "\\\\host\\a"],
)
def test_paths_that_leave_the_archive_are_refused(tmp_path, name):
    path = zip_of(tmp_path, {name: b"x"})
    assert "papers.zip: contains a path that leads out of the archive, " in refusal_of(path)
    path = tar_of(tmp_path, {}, tar_member(name))
    assert "papers.tar.gz: contains a path that leads out of the archive, " in refusal_of(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["papers.tar.gz", "papers.zip", "place"]


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(tarfile.SYMTYPE, id="symbolic-link"),
        pytest.param(tarfile.LNKTYPE, id="link"),
        pytest.param(tarfile.CHRTYPE, id="device"),
        pytest.param(tarfile.FIFOTYPE, id="pipe"),
    ],
)
def test_links_and_devices_in_a_tar_are_refused(tmp_path, kind):
    assert "contains a link or device, a.csv" in refusal_of(tar_of(tmp_path, {}, tar_member("a.csv", kind)))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_a_zip_are_refused(tmp_path, kind):
    path, info = tmp_path / "papers.zip", zipfile.ZipInfo("a.csv")
    info.external_attr = (kind | 0o644) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, b"/etc/passwd")
    assert "contains a link or device, a.csv" in refusal_of(path)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_bombs_are_refused(tmp_path, pack):
    assert "expands to more than 200 times its size" in refusal_of(pack(tmp_path, {"a.csv": bytes(30_000_000)}))


def test_a_zip_with_overlapping_files_is_refused(tmp_path):
    """The archive lists one packed file many times."""
    packed = zip_of(tmp_path, {"a.csv": bytes(9_000_000) + os.urandom(50_000)}).read_bytes()
    end = packed.rindex(b"PK\x05\x06")
    start = packed.rindex(b"PK\x01\x02", 0, end)
    line, n_lines = packed[start:end], 3_000
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, n_lines, n_lines, n_lines * len(line), start, 0)
    path = tmp_path / "papers.zip"
    path.write_bytes(packed[:start] + line * n_lines + tail)
    assert "larger than 2 GiB when unpacked" in refusal_of(path)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_too_large_or_too_many_files_are_refused(tmp_path, monkeypatch, pack):
    path = pack(tmp_path, {f"{number}.csv": os.urandom(1_000) for number in range(30)})
    monkeypatch.setattr(archives, "MOST_MEMBERS", 29)
    assert refusal_of(path) == f"{path.name}: contains more than 29 files. Import it in parts"
    monkeypatch.setattr(archives, "MOST_MEMBERS", 30)
    monkeypatch.setattr(archives, "MOST_BYTES", 29_000)
    assert ": is larger than" in refusal_of(path)


def test_a_zip_with_a_false_size_is_refused(tmp_path):
    path = zip_of(tmp_path, {"a.csv": bytes(1_000_000)})
    path.write_bytes(path.read_bytes().replace(struct.pack("<L", 1_000_000), struct.pack("<L", 10)))
    assert "a.csv can't be unpacked: Bad CRC-32" in refusal_of(path)


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param({"major": "1", "minor": "0", "name": "a.csv", "realsize": "9"}, id="list-in-the-content"),
        pytest.param({"major": "1", "minor": "0", "name": "a.csv", "realsize": "x"}, id="invalid-size"),
        pytest.param({"map": "0,1"}, id="list-in-the-header"),
        pytest.param({"map": "a,b"}, id="invalid-list"),
    ],
)
def test_sparse_files_are_refused_before_their_map_is_read(tmp_path, reason):
    member = tar_member("a.csv", size=2_000_000)
    member.pax_headers = {f"GNU.sparse.{name}": value for name, value in reason.items()}
    assert re.search("contains a (sparse file|link or device), a.csv|damaged", refusal_of(tar_of(tmp_path, {}, member)))


def test_an_endless_sparse_map_is_not_read(tmp_path):
    header = bytearray(tar_member("a.csv", tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT))
    header[482] = 1  # continues
    header[148:156] = b"%06o\0 " % (sum(header) - sum(header[148:156]) + 8 * ord(" "))
    path = tmp_path / "papers.tar.gz"
    path.write_bytes(gzip.compress(header + 1_000 * (b"00000000001\0" * 42 + b"\1" + bytes(7))))
    assert "contains a sparse file, a.csv. Pack it without --sparse" in refusal_of(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_with_another_compression_is_refused(tmp_path, method):
    path = tmp_path / "papers.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.csv", bytes(1_000))
    assert "uses an unsupported compression method. Create it again as a standard zip file" in refusal_of(path)


def test_a_file_name_that_is_not_utf_8_is_accepted(tmp_path):
    member = tar_member("caf\udce9/\udce9t\udce9.csv")
    with unpack_archive(tar_of(tmp_path, {}, member)) as members:
        assert [name for name, _ in members] == ["caf\ufffd/\ufffdt\ufffd.csv"]


def test_a_huge_tar_header_is_not_read_into_memory(tmp_path):
    path = tar_of(tmp_path, {}, tar_member("a.csv", tarfile.XHDTYPE, 5_000_000))
    assert "the header of a file is too large" in refusal_of(path)


def test_an_encrypted_zip_is_refused_with_a_message(tmp_path):
    path = zip_of(tmp_path, {"a.csv": b"one"})
    content = bytearray(path.read_bytes())
    for mark, place_of_flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place_of_flags] |= 1
    path.write_bytes(content)
    assert "papers.zip: the archive is encrypted. Unpack it with its password first" in refusal_of(path)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, pack):
    assert "contains a file name that is invalid or too long, b/éé" in refusal_of(
        pack(tmp_path, {"b/" + "é" * 120: b"x"})
    )


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_an_archive_without_files_is_refused(tmp_path, pack):
    assert refusal_of(pack(tmp_path, {})).endswith(": contains no files to import")


@pytest.mark.parametrize("name", ["papers.zip", "papers.tgz"])
@pytest.mark.parametrize("content", [b"", b"paper_id,title\n", b"PK\x05\x06", b"\x1f\x8b\x08"])
def test_other_files_are_no_archives(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert refusal_of(path).startswith(f"{name}: ")


def test_a_missing_archive(tmp_path):
    assert refusal_of(tmp_path / "missing.zip") == "missing.zip: can't be unpacked: No such file or directory"


def test_a_truncated_archive_is_refused_wherever_it_ends(tmp_path):
    files = {f"{number}.csv": os.urandom(100) for number in range(4)}
    for path in (zip_of(tmp_path, files), tar_of(tmp_path, files)):
        whole = path.read_bytes()
        for n_bytes in range(0, len(whole), 37):
            path.write_bytes(whole[:n_bytes])
            refusal_of(path)
    tar = gzip.decompress(whole)
    for n_bytes in range(1, 4 * 1024, 256):  # a packed member may be truncated before it is complete
        path.write_bytes(gzip.compress(tar[:n_bytes]))
        refusal_of(path)


def test_a_tar_damaged_before_compression_is_refused(tmp_path):
    path = tar_of(tmp_path, {"a.csv": b"one", "b.csv": b"two"})
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()).replace(b"b.csv", b"x.csv")))
    assert "damaged or truncated: bad checksum" in refusal_of(path)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_a_damaged_archive_is_read_or_refused(tmp_path, pack):
    path = pack(tmp_path, {"a.csv": b"title\n" * 50, "b.csv": b"paper_id\n" * 50})
    whole, dice, n_refused = path.read_bytes(), random.Random(1), 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(dice.choice([1, 2, 5])):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        path.write_bytes(damaged)
        try:
            with unpack_archive(path) as members:
                names = [file.read_bytes() for _, file in members]
        except UnreadableFileError as error:
            names = [str(error).encode()]
            n_refused += 1
        assert names
    assert 150 < n_refused < 300


def test_endings():
    assert [name for name in ("a.zip", "a.ZIP", "a.tar.gz", "a.tgz", "a.gz", "a.tar") if is_archive(Path(name))] == [
        *("a.zip", "a.ZIP", "a.tar.gz", "a.tgz")
    ]
