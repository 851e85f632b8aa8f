"""The container image and its compose file: existing references, and minimal rights."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from importlib.util import find_spec
from ipaddress import ip_address, ip_network

import pytest
import typer
import yaml

from presort.desk import settings
from presort.desk.cli import app
from presort.desk.settings.sources import IN_FILE
from tests.desk.deploy.nginx_server import DEPLOY, Nginx, needs_nginx

ROOT = DEPLOY.parent
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
PROXY = SERVICES["proxy"]
SETTINGS = {*IN_FILE, settings.FILE}
HARDENED = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges"]}
# Keys that would give a container rights on its host.
RIGHTS = {"privileged", "cap_add", "devices", "pid", "ipc", "userns_mode", "cgroup_parent", "extra_hosts"}


def instructions():
    """Return the instructions of the Containerfile, each as a name and its arguments on one line."""
    lines = [line for line in (ROOT / "Containerfile").read_text().splitlines() if not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in whole.splitlines() if line.strip()]


def arguments(name):
    return [rest for one, rest in instructions() if one == name]


def copied():
    """Return the sources that are copied from the project folder."""
    sources = [shlex.split(rest) for rest in arguments("COPY")]
    return {source for words in sources if not words[0].startswith("--from") for source in words[:-1]}


def environment():
    pairs = [shlex.split(rest) for rest in arguments("ENV")]
    return dict(pair.split("=", 1) for words in pairs for pair in words)


def commands():
    return typer.main.get_command(app).commands


def test_copied_files_exist_and_suffice_for_the_wheel():
    assert {name for name in copied() if not (ROOT / name).exists()} == set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"docs", "tests", "benchmarks"}
    needed = {project["project"]["readme"], *project["project"]["license-files"], "app.py", "py.typed", "setup.py"}
    assert copied() == packages | needed | {"pyproject.toml", "constraints.txt"}


def test_only_these_files_are_sent_to_the_build():
    first, *rest = [one for one in (ROOT / ".containerignore").read_text().splitlines() if not one.startswith("#")]
    assert first == "*"
    assert {one.removeprefix("!") for one in rest if one.startswith("!")} == copied()


def test_all_stages_have_the_same_configurable_base():
    images = {rest.split()[0] for rest in arguments("FROM")}
    assert images == {"${BASE}"}
    (base,) = [rest for rest in arguments("ARG") if rest.startswith("BASE=")]
    assert re.fullmatch(r"BASE=debian:[a-z]+-slim", base)


def test_versions_are_pinned_and_no_build_files_remain():
    stages = [n for n, (name, _) in enumerate(instructions()) if name == "FROM"]
    last = instructions()[stages[-1] :]
    for rest in arguments("RUN"):
        for command in re.split(r"&&", rest):
            if re.search(r"/pip .*(install|wheel)", command):
                assert "--constraint constraints.txt" in command
                assert "--no-cache-dir" in command
    run = " ".join(rest for name, rest in last if name == "RUN")
    assert "pip" not in run
    assert "rm -rf /var/lib/apt/lists/*" in run
    assert "--no-install-recommends" in run


def test_the_user_is_numeric_and_not_root():
    (user,) = arguments("USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    (run,) = [rest for rest in arguments("RUN") if "useradd" in rest]
    number, group = user.split(":")
    assert f"--uid {number}" in run
    assert f"--gid {group}" in run
    names = [name for name, _ in instructions()]
    assert "RUN" not in names[names.index("USER") :]


def test_the_default_command_exists():
    (entry,), (command,) = map(json.loads, arguments("ENTRYPOINT")), map(json.loads, arguments("CMD"))
    assert entry[-1] == "presort"
    context = typer.Context(commands()[command[0]])
    commands()[command[0]].parse_args(context, command[1:])
    assert context.params["host"] == "0.0.0.0"


def test_settings_of_the_image_exist_and_none_is_secret():
    assert {name for name in environment() if name.startswith("PRESORT_")} == {settings.WORKSPACE}
    (volume,) = arguments("VOLUME")
    assert environment()[settings.WORKSPACE].startswith(f"{volume}/")


def test_both_files_have_the_same_existing_health_check():
    (check,) = arguments("HEALTHCHECK")
    command = json.loads(check.partition("CMD ")[2])
    assert command[:2] == ["python", "-m"]
    assert find_spec(command[2])
    healthcheck = SERVICES["desk"]["healthcheck"]
    assert healthcheck["test"] == ["CMD", *command]
    for option, key in (("interval", "interval"), ("start-period", "start_period"), ("retries", "retries")):
        assert f"--{option}={healthcheck[key]}" in check


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_has_more_rights_than_it_needs(name):
    service = SERVICES[name]
    assert {key: service.get(key) for key in HARDENED} == HARDENED
    assert RIGHTS & service.keys() == set()
    assert service.get("network_mode") in (None, "none")
    assert service["tmpfs"] == ["/tmp"]
    if "build" not in service:  # otherwise the image has a user
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"])
    assert not [one for one in service["volumes"] if one.startswith("/")]


@pytest.mark.parametrize("name", [name for name, service in SERVICES.items() if name != "weekly"])
def test_permanent_services_have_a_health_check_and_are_restarted(name):
    assert SERVICES[name]["restart"] == "unless-stopped"
    assert SERVICES[name]["healthcheck"]["test"]


def test_only_the_proxy_can_be_reached():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["database"]["network_mode"] == "none"


@pytest.mark.parametrize("name", ["desk", "weekly"])
def test_settings_of_presort_exist_and_the_file_is_a_secret(name):
    service = SERVICES[name]
    given = {one for one in service["environment"] if one.startswith("PRESORT_")}
    assert given - SETTINGS == set()
    assert service["environment"][settings.FILE] == f"/run/secrets/{service['secrets'][0]}"
    assert not [value for value in service["environment"].values() if re.search(r"://[^/]*:[^/]*@", str(value))]


def test_the_weekly_job_has_the_settings_of_the_desk():
    desk, weekly = SERVICES["desk"], SERVICES["weekly"]
    assert weekly["command"][0] in commands()
    assert {**weekly["environment"], "FORWARDED_ALLOW_IPS": desk["environment"]["FORWARDED_ALLOW_IPS"]} == desk[
        "environment"
    ]
    for key in ("image", "secrets", "volumes", "depends_on"):
        assert weekly[key] == desk[key]


def test_references_of_services_exist():
    for service in SERVICES.values():
        assert {one if isinstance(one, str) else one["source"] for one in service.get("secrets", ())} <= {
            *COMPOSE["secrets"]
        }
        assert service.get("depends_on", {}).keys() <= SERVICES.keys()
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            if source.startswith("./"):
                assert (DEPLOY / source).is_file()
            elif not source.startswith("$"):
                assert source in COMPOSE["volumes"]
    build = SERVICES["desk"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()


def test_addresses_of_proxy_and_desk_match():
    (network,) = COMPOSE["networks"]["front"]["ipam"]["config"]
    desk, proxy = (SERVICES[name]["networks"]["front"]["ipv4_address"] for name in ("desk", "proxy"))
    assert desk != proxy
    assert {ip_address(desk), ip_address(proxy)} <= {*ip_network(network["subnet"]).hosts()}
    assert SERVICES["desk"]["environment"]["FORWARDED_ALLOW_IPS"] == proxy
    assert f"s/127.0.0.1:8501/{desk}:8501/" in PROXY["command"][-1]
    assert (DEPLOY / "nginx.conf").read_text().count("127.0.0.1:8501") == 1


@needs_nginx
@pytest.mark.whole
def test_nginx_accepts_its_configuration(tmp_path):
    nginx = Nginx(tmp_path / "nginx")
    (servers,) = re.findall(r"http \{.*?;\n(.*) \}", (nginx.folder / "nginx.conf").read_text(), re.S)
    (tmp_path / "presort.conf").write_text(servers)
    main = (DEPLOY / "nginx-container.conf").read_text()
    (tmp_path / "main.conf").write_text(main.replace("/tmp/", f"{tmp_path}/"))
    command = [*nginx.command[:-1], str(tmp_path / "main.conf"), "-t"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.skipif(not shutil.which("sh"), reason="no shell")
def test_the_proxys_configuration_has_the_desks_address(tmp_path):
    shell = PROXY["command"][-1].partition("&&")[0]
    shell = shell.replace("/tmp/", f"{tmp_path}/").replace("/etc/presort/", f"{DEPLOY}/")  # the source may be in /tmp
    subprocess.run(["sh", "-c", shell], check=True)
    desk = SERVICES["desk"]["networks"]["front"]["ipv4_address"]
    assert f"proxy_pass http://{desk}:8501;" in (tmp_path / "presort.conf").read_text()


def test_the_guide_has_a_timer_for_each_command():
    guide = (ROOT / "docs" / "container.md").read_text()
    lines = (DEPLOY / "presort.cron").read_text().splitlines()
    commands = [line.rpartition("bin/presort ")[2].partition(" >")[0] for line in lines if "bin/presort" in line]
    assert len(commands) > 1
    for command in commands:
        assert re.search(rf"(presort|--rm -T) {command}\b", guide), command


def test_the_guide_names_each_file_that_the_administrator_needs():
    guide = (ROOT / "docs" / "container.md").read_text()
    files = [secret["file"].rpartition("/")[2] for secret in COMPOSE["secrets"].values()]
    assert [name for name in [*files, "nginx.conf", "compose.yaml", "Containerfile"] if name not in guide] == []
    chosen = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert {name for name in chosen if name not in guide} == set()
