"""Exported templates: clean to cfn-lint, and the same table again when they are deployed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import DESIGNS, design_file
from test_verbs import everything

LINT = Path(sys.executable).with_name("cfn-lint")


def lint(path, *options):
    done = subprocess.run([str(LINT), *options, "--", str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("environment", [0, 1])
@pytest.mark.parametrize("name", DESIGNS)
def test_exported_templates_are_clean(larder, tmp_path, name, environment):
    chosen = {"stock-price-cache": ["default", "testing"]}.get(name, ["dev", "prod"])[environment]
    # A design without alarms has none to export, and the export says so.
    has_alarms = "\nalarms:" in design_file(name).read_text()
    for export in ("cloudformation", "alarms") if has_alarms else ("cloudformation",):
        path = tmp_path / f"{export}.yaml"
        path.write_text(larder("export", export, design_file(name), "--env", chosen))
        assert "Resources" in path.read_text()
        lint(path)


@pytest.mark.parametrize("name", DESIGNS)
def test_an_exported_template_is_the_same_table(larder, tmp_path, name):
    larder.at("deploy", design_file(name))
    before = everything(larder.endpoint)
    path = tmp_path / "exported.template.yaml"
    path.write_text(larder("export", "cloudformation", design_file(name)))
    larder.at("deploy", path)
    assert everything(larder.endpoint) == before


@pytest.mark.parametrize("name", DESIGNS)
def test_policies_are_documents(larder, name):
    policy = json.loads(larder("export", "iam", design_file(name)))
    assert policy["Version"] == "2012-10-17"
    for statement in policy["Statement"]:
        actions = statement["Action"]
        assert all(action.startswith("dynamodb:") for action in ([actions] if isinstance(actions, str) else actions))


@pytest.mark.parametrize("name", DESIGNS)
def test_a_workbench_model_comes_back(larder, tmp_path, name):
    model = tmp_path / "model.json"
    model.write_text(larder("export", "workbench", design_file(name)))
    assert json.loads(model.read_text())["DataModel"]
    back = tmp_path / "back.design.yaml"
    back.write_text(larder("import", model))
    larder.at("deploy", back)
    deployed = larder.run("deploy", design_file(name), "--endpoint", larder.endpoint)
    if name == "aura-historia":
        # A model has no local indexes, and a table that was made without one can never get it.
        assert deployed.returncode != 0 and "IsProductIndex" in deployed.stderr
    else:
        assert deployed.returncode == 0, deployed.stderr


@pytest.mark.parametrize("name", DESIGNS)
def test_a_running_table_comes_back(larder, tmp_path, name):
    """Imported from the server, the tables are the same, so deploying the import changes nothing."""
    larder.at("deploy", design_file(name))
    larder.at("seed", design_file(name))
    before = everything(larder.endpoint)
    for table in before:
        back = tmp_path / f"{table}.design.yaml"
        back.write_text(larder.at("import", "--table", table))
        larder.at("deploy", back)
    assert everything(larder.endpoint) == before
