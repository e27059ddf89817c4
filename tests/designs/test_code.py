"""Every access pattern through exported code. The generated modules carry the design's own examples: how each pattern
is called and the keys it must return."""

import importlib.util
import inspect
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import boto3
import pytest
import yaml
from botocore.exceptions import ClientError

from conftest import DESIGNS, HERE, ROOT, design_file
from serve import client_environment
from test_verbs import client

READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}


def patterns(name):
    """The patterns of a design and their operations. Every scalar is text, because PyYAML reads an older YAML."""
    design = yaml.load(design_file(name).read_text(), yaml.BaseLoader)
    steps = {pattern: [value, *value.get("then", [])] for pattern, value in design["access_patterns"].items()}
    return {pattern: [step["operation"] for step in all_steps] for pattern, all_steps in steps.items()}


def writes(name):
    """The patterns that read nothing."""
    return [pattern for pattern, operations in patterns(name).items() if not READS & set(operations)]


def exported(larder, name, folder, language, ending):
    """The file of exported code."""
    path = folder / f"{name.replace('-', '_')}.{ending}"
    path.write_text(larder("export", language, design_file(name)))
    return path


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def items_of(result):
    if result is None:
        return []
    return result if isinstance(result, list) else [result]


def judge(name, expected, result, is_write, stored):
    """Compares a result with what the design expects; a write that returns nothing is judged by what is stored."""
    if isinstance(expected, int):
        assert len(items_of(result)) == expected, name
    if not isinstance(expected, list):
        return
    items = items_of(result)
    if is_write and result is None:
        assert all(stored(key) for key in expected), f"{name}: not stored"
        return
    assert len(items) == len(expected), f"{name}: {items}"
    # What a projection leaves out cannot be compared.
    known = [key for key in expected if all(part in item for item in items for part in key)]
    found = [{part: item[part] for part in key} for key, item in zip(known, items)]
    assert sorted(map(str, found)) == sorted(map(str, known)), name


@pytest.mark.parametrize("name", DESIGNS)
def test_python(larder, tmp_path, name):
    larder.at("deploy", design_file(name))
    module = load(exported(larder, name, tmp_path, "python", "py"))
    resource = boto3.resource("dynamodb", endpoint_url=larder.endpoint, region_name="us-east-1",
                              aws_access_key_id="story", aws_secret_access_key="story")
    classes = [value for value in vars(module).values() if inspect.isclass(value) and hasattr(value, "__init__")]
    store = next(value for value in classes if "resource" in inspect.signature(value.__init__).parameters)(resource)

    def seed():
        for table, item in module.samples().values():
            resource.Table(store.tables[table]).put_item(Item=item)

    seed()
    as_exported = scanned(larder)
    larder.at("seed", design_file(name))
    assert scanned(larder) == as_exported, "exported code and `seed` write the same items"
    assert list(module.EXAMPLES) == list(patterns(name))
    for pattern, (call, expected) in module.EXAMPLES.items():
        seed()
        if isinstance(expected, str):
            with pytest.raises(ClientError) as refused:
                call(store)
            assert refused.value.response["Error"]["Code"] == expected, pattern
            continue
        result = call(store)
        judge(pattern, expected, result, pattern in writes(name),
              lambda key: any("Item" in resource.Table(table).get_item(Key=key) for table in store.tables.values()))


def scanned(larder):
    dynamodb = client(larder.endpoint)
    scan = dynamodb.get_paginator("scan")
    names = dynamodb.list_tables()["TableNames"]
    return {name: sorted(map(canonical, scan.paginate(TableName=name).build_full_result()["Items"])) for name in names}


def canonical(item):
    return json.dumps(item, sort_keys=True, ensure_ascii=False)


@pytest.mark.parametrize("name", DESIGNS)
def test_typescript(larder, name):
    """The compiler finds the SDK from a folder beside its packages."""
    js = HERE / "js"
    if not (js / "node_modules" / "typescript").exists():
        pytest.skip("npm ci in tests/designs/js")
    larder.at("deploy", design_file(name))
    (js / "target").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=js / "target") as folder:
        source = exported(larder, name, Path(folder), "typescript", "ts")
        tsc = [js / "node_modules/.bin/tsc", "--strict", "--skipLibCheck", "--target", "es2022",
               "--module", "nodenext", "--types", "node", source]
        run(tsc, js)
        said = run(["node", js / "run.mjs", source.with_suffix(".js"), larder.endpoint, json.dumps(writes(name))], js)
    assert said.strip() == f"{len(patterns(name))} patterns"


def test_rust(larder):
    """All five in one program. Its build folder is that of the clients' story, which has the SDK compiled already."""
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")
    rust = HERE / "rust"
    generated = rust / "target" / "generated"
    generated.mkdir(parents=True, exist_ok=True)
    for name in DESIGNS:
        larder.at("deploy", design_file(name))
        exported(larder, name, generated, "rust", "rs")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "check" / "rust-story"
    all_writes = [pattern for name in DESIGNS for pattern in writes(name)]
    said = run(["cargo", "run", "--quiet", "--locked", "--", larder.endpoint, ",".join(all_writes)], rust,
               CARGO_TARGET_DIR=str(target))
    assert said.strip() == f"{sum(len(patterns(name)) for name in DESIGNS)} patterns"


def run(command, folder, **environment):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=900,
                          env=client_environment("") | environment)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout
