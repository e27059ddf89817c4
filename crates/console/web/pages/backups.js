// Backups and recovery: a time on a line and what the table was then, backups on demand, and restoring either.

import { call, describe, session, tableNames } from "../api.js";
import { button, confirmTyped, dialog, field, h, messageOf, notify, replace, select } from "../dom.js";
import { away, moment, size } from "../format.js";
import { go, link } from "../route.js";
import { status } from "./tables.js";

/** @param {import("../app.js").Visit} visit */
export async function draw({ page, signal }) {
  const names = await tableNames();
  if (signal.aborted) return;
  const list = h("section", { class: "card" });
  const make = session.readOnly || !names.length ? null : button("Create backup", () => createBackup(names, () => fillBackups(list, undefined)), { class: "primary" });
  replace(page, h("div", { class: "head" }, h("h1", null, "Backups"), h("div", { class: "buttons" }, make)), list);
  await fillBackups(list, undefined);
}

/**
 * The backups tab of a table.
 * @param {HTMLElement} place
 * @param {any} table
 * @param {AbortSignal} signal
 */
export async function drawBackups(place, table, signal) {
  const line = h("section", { class: "card" });
  const list = h("section", { class: "card" });
  replace(place, line, list);
  const again = async () => {
    if (!signal.aborted) await drawRecovery(line, table.TableName, again).catch((failure) => showFailure(line, failure));
  };
  await again();
  await fillBackups(list, table.TableName, true).catch((failure) => showFailure(list, failure));
}

/**
 * @param {HTMLElement} place
 * @param {unknown} failure
 */
function showFailure(place, failure) {
  replace(place, h("p", { class: "error", role: "alert" }, messageOf(failure)));
}

/**
 * @param {HTMLElement} place
 * @param {string} name
 * @param {() => Promise<void>} again
 */
async function drawRecovery(place, name, again) {
  const about = (await call("DescribeContinuousBackups", { TableName: name })).ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  const isOn = about.PointInTimeRecoveryStatus === "ENABLED";
  const turn = async (/** @type {boolean} */ isWanted) => {
    try {
      await call("UpdateContinuousBackups", { TableName: name, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: isWanted } });
    } catch (failure) {
      notify(messageOf(failure), "bad");
    }
    await again();
  };
  const head = h(
    "div",
    { class: "head" },
    h("h2", null, "Point-in-time recovery (PITR)"),
    h("span", { class: `badge ${isOn ? "good" : ""}` }, isOn ? "On" : "Off"),
    session.readOnly ? null : h("div", { class: "buttons" }, isOn ? button("Turn off", () => turn(false), { class: "danger" }) : button("Turn on", () => turn(true), { class: "primary" })),
  );
  if (!isOn) {
    replace(place, head, h("p", { class: "dim" }, "With recovery on, the table can be restored as it was at any second of the last 35 days."));
    return;
  }
  replace(place, head, session.readOnly ? null : timeline(name, about.EarliestRestorableDateTime * 1000, about.LatestRestorableDateTime * 1000, again));
}

/**
 * A line from the earliest to the latest time, and what to do with the time chosen.
 * @param {string} name
 * @param {number} first
 * @param {number} last
 * @param {() => Promise<void>} again
 */
function timeline(name, first, last, again) {
  const from = Math.ceil(first / 1000);
  const to = Math.max(from, Math.floor(last / 1000));
  const line = h("input", { type: "range", min: String(from), max: String(to), step: "1", value: String(to) });
  const exact = h("input", { type: "datetime-local", step: "1", min: local(from), max: local(to), value: local(to) });
  const said = h("p", { role: "status" });
  const target = h("input", { value: `${name}-restored`, spellcheck: "false" });
  const tell = () => {
    const seconds = Number(line.value);
    said.textContent = `The table as it was at ${moment(seconds * 1000)} (${away(seconds * 1000)})`;
  };
  line.addEventListener("input", () => {
    exact.value = local(Number(line.value));
    tell();
  });
  exact.addEventListener("input", () => {
    const seconds = Math.round(new Date(exact.value).getTime() / 1000);
    if (Number.isFinite(seconds)) line.value = String(Math.max(from, Math.min(to, seconds)));
    tell();
  });
  tell();
  const act = button("Restore", () => restore(act, target.value.trim(), "RestoreTableToPointInTime", { SourceTableName: name, TargetTableName: target.value.trim(), RestoreDateTime: Number(line.value) }), { class: "primary" });
  return h(
    "div",
    { class: "stack" },
    h("div", { class: "timeline" }, field("Choose a time", line), h("div", { class: "ends" }, h("span", null, `Earliest: ${moment(from * 1000)}`), h("span", null, `Latest: ${moment(to * 1000)}`))),
    said,
    h("div", { class: "row" }, field("Date and time", exact), field("Name of the restored table", target), act, button("Refresh the line", () => again())),
  );
}

/** @param {number} seconds */
function local(seconds) {
  return moment(seconds * 1000).replace(" ", "T");
}

/**
 * @param {HTMLButtonElement} act
 * @param {string} target
 * @param {string} operation
 * @param {object} body
 */
async function restore(act, target, operation, body) {
  act.disabled = true;
  try {
    await call(operation, body);
    notify(`${target} is being restored`, "good");
    for (let attempt = 0; attempt < 240; attempt += 1) {
      const table = await describe(target);
      if (table.TableStatus === "ACTIVE") break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    notify(`${target} has been restored`, "good");
    go(["tables", target]);
  } catch (failure) {
    notify(messageOf(failure), "bad");
    act.disabled = false;
  }
}

/**
 * @param {HTMLElement} place
 * @param {string | undefined} table
 * @param {boolean} [canCreate]
 */
async function fillBackups(place, table, canCreate = false) {
  /** @type {any[]} */
  const backups = [];
  /** @type {string | undefined} */
  let start;
  do {
    const answer = await call("ListBackups", { ...(table ? { TableName: table } : {}), ...(start ? { ExclusiveStartBackupArn: start } : {}) });
    backups.push(...(answer.BackupSummaries ?? []));
    start = answer.LastEvaluatedBackupArn;
  } while (start);
  backups.sort((one, other) => other.BackupCreationDateTime - one.BackupCreationDateTime);
  const again = () => fillBackups(place, table, canCreate);
  const make = canCreate && table && !session.readOnly ? h("div", { class: "buttons" }, button("Create backup", () => createBackup([table], again), { class: "primary" })) : null;
  replace(
    place,
    h("div", { class: "head" }, h("h2", null, `Backups (${backups.length})`), make),
    backups.length
      ? h(
          "div",
          { class: "scroll" },
          h(
            "table",
            { class: "list" },
            h("thead", null, h("tr", null, ["Name", "Table", "Status", "Created", "Size"].map((text) => h("th", { scope: "col", class: text === "Size" ? "num" : "" }, text)), h("td"))),
            h("tbody", null, backups.map((backup) => row(backup, again))),
          ),
        )
      : h("p", { class: "dim" }, "There are no backups. A backup keeps a table as it is, until the backup is deleted."),
  );
}

/**
 * @param {any} backup
 * @param {() => Promise<void>} again
 */
function row(backup, again) {
  return h(
    "tr",
    null,
    h("td", { class: "name" }, backup.BackupName),
    h("td", null, h("a", { href: link(["tables", backup.TableName]) }, backup.TableName)),
    h("td", null, status(backup.BackupStatus)),
    h("td", null, moment(backup.BackupCreationDateTime * 1000)),
    h("td", { class: "num" }, size(backup.BackupSizeBytes)),
    h(
      "td",
      null,
      session.readOnly
        ? null
        : h(
            "div",
            { class: "buttons" },
            button("Restore", () => restoreBackup(backup), { "aria-label": `Restore ${backup.BackupName}` }),
            button("Delete", () =>
              confirmTyped({
                title: "Delete backup",
                text: h("span", null, "The backup ", h("b", null, backup.BackupName), " will be gone."),
                word: backup.BackupName,
                action: "Delete backup",
                run: async () => {
                  await call("DeleteBackup", { BackupArn: backup.BackupArn });
                  await again();
                },
              }), { class: "danger", "aria-label": `Delete backup ${backup.BackupName}` }),
          ),
    ),
  );
}

/** @param {any} backup */
function restoreBackup(backup) {
  dialog("Restore table from backup", (close) => {
    const target = h("input", { value: `${backup.TableName}-restored`, spellcheck: "false" });
    const act = button("Restore", async () => {
      await restore(act, target.value.trim(), "RestoreTableFromBackup", { TargetTableName: target.value.trim(), BackupArn: backup.BackupArn });
      close();
    }, { class: "primary", type: "submit" });
    return [field("Name of the restored table", target), h("div", { class: "buttons end" }, button("Cancel", close), act)];
  });
}

/**
 * @param {string[]} names
 * @param {() => void} after
 */
function createBackup(names, after) {
  dialog("Create backup", (close) => {
    const error = h("p", { class: "error", role: "alert", hidden: true });
    const table = select(names.map((name) => [name, name]), names[0] ?? "");
    const suggested = () => `${table.value}-${moment(Date.now()).replace(/[^0-9]/g, "").slice(0, 14)}`;
    const name = h("input", { value: suggested(), spellcheck: "false" });
    table.addEventListener("change", () => (name.value = suggested()));
    const act = button("Create backup", async () => {
      act.disabled = true;
      try {
        await call("CreateBackup", { TableName: table.value, BackupName: name.value.trim() });
        close();
        notify("The backup was made", "good");
        after();
      } catch (failure) {
        error.hidden = false;
        error.textContent = messageOf(failure);
        act.disabled = false;
      }
    }, { class: "primary", type: "submit" });
    return [names.length > 1 ? field("Table", table) : null, field("Backup name", name), error, h("div", { class: "buttons end" }, button("Cancel", close), act)];
  });
}
