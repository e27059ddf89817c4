// A request as somebody would type it: AWS CLI, boto3, JavaScript, Rust. Knows the spelling of each.

/** @typedef {import("./expression.js").Request} Request */

/** The languages, with the names that people know them by. */
export const LANGUAGES = /** @type {Array<[string, string]>} */ ([
  ["cli", "AWS CLI"],
  ["python", "boto3"],
  ["javascript", "JavaScript"],
  ["rust", "Rust"],
  ["json", "JSON"],
]);

/**
 * @param {string} language
 * @param {Request} request
 * @param {string} endpoint
 */
export function spell(language, request, endpoint) {
  switch (language) {
    case "python":
      return python(request, endpoint);
    case "javascript":
      return javascript(request, endpoint);
    case "rust":
      return rust(request);
    case "json":
      return JSON.stringify(request.body, null, 2);
    default:
      return cli(request, endpoint);
  }
}

/**
 * @param {string} name
 * @param {string} between
 */
function cased(name, between) {
  return name.replace(/[A-Z]/g, (letter, place) => (place ? between : "") + letter.toLowerCase());
}

/** @param {string} text */
function quoted(text) {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {Request} request
 * @param {string} endpoint
 */
function cli(request, endpoint) {
  const lines = [`aws dynamodb ${cased(request.operation, "-")} --endpoint-url ${endpoint}`];
  for (const [name, value] of Object.entries(request.body)) {
    const flag = cased(name, "-");
    if (value === true) lines.push(`  --${flag}`);
    else if (value === false) lines.push(`  --no-${flag}`);
    else lines.push(`  --${flag} ${quoted(typeof value === "string" ? value : JSON.stringify(value))}`);
  }
  return lines.join(" \\\n");
}

/**
 * @param {any} value
 * @param {string} indent
 * @returns {string}
 */
function pythonLiteral(value, indent) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}    `;
  if (Array.isArray(value)) return value.length ? `[${value.map((one) => pythonLiteral(one, indent)).join(", ")}]` : "[]";
  const members = Object.entries(value);
  if (members.length <= 1) return `{${members.map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one, indent)}`).join("")}}`;
  return `{\n${members.map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${pythonLiteral(one, deeper)},\n`).join("")}${indent}}`;
}

/**
 * @param {Request} request
 * @param {string} endpoint
 */
function python(request, endpoint) {
  const members = Object.entries(request.body).map(([name, value]) => `    ${name}=${pythonLiteral(value, "    ")},\n`);
  return `import boto3\n\nclient = boto3.client("dynamodb", endpoint_url=${JSON.stringify(endpoint)})\nanswer = client.${cased(request.operation, "_")}(\n${members.join("")})`;
}

/**
 * @param {Request} request
 * @param {string} endpoint
 */
function javascript(request, endpoint) {
  const body = JSON.stringify(request.body, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
  return `import { DynamoDBClient, ${request.operation}Command } from "@aws-sdk/client-dynamodb";\n\nconst client = new DynamoDBClient({ endpoint: ${JSON.stringify(endpoint)} });\nconst answer = await client.send(new ${request.operation}Command(${body}));`;
}

/** @param {string} text */
function rustText(text) {
  return JSON.stringify(text).replace(/\\u([0-9a-fA-F]{4})/g, "\\u{$1}").replaceAll("\\b", "\\u{8}").replaceAll("\\f", "\\u{c}");
}

/**
 * @param {any} value
 * @returns {string}
 */
function rustValue(value) {
  const [type, inside] = Object.entries(value)[0] ?? ["NULL", true];
  switch (type) {
    case "S":
    case "N":
      return `AttributeValue::${type}(${rustText(String(inside))}.into())`;
    case "BOOL":
      return `AttributeValue::Bool(${inside})`;
    case "NULL":
      return "AttributeValue::Null(true)";
    case "SS":
    case "NS":
      return `AttributeValue::${type === "SS" ? "Ss" : "Ns"}(vec![${/** @type {string[]} */ (inside).map((one) => `${rustText(one)}.into()`).join(", ")}])`;
    case "B":
      return `AttributeValue::B(Blob::new(base64(${rustText(String(inside))})))`;
    case "BS":
      return `AttributeValue::Bs(vec![${/** @type {string[]} */ (inside).map((one) => `Blob::new(base64(${rustText(one)}))`).join(", ")}])`;
    case "L":
      return `AttributeValue::L(vec![${/** @type {any[]} */ (inside).map(rustValue).join(", ")}])`;
    default:
      return `AttributeValue::M([${Object.entries(/** @type {any} */ (inside)).map(([name, one]) => `(${rustText(name)}.into(), ${rustValue(one)})`).join(", ")}].into())`;
  }
}

/** @param {Request} request */
function rust(request) {
  const lines = [];
  const body = request.body;
  for (const [name, value] of Object.entries(body)) {
    const method = cased(name, "_");
    if (name === "ExpressionAttributeNames") {
      for (const [key, one] of Object.entries(value)) lines.push(`.${method}(${rustText(key)}, ${rustText(String(one))})`);
    } else if (name === "ExpressionAttributeValues" || name === "Key" || name === "Item" || name === "ExclusiveStartKey") {
      for (const [key, one] of Object.entries(value)) lines.push(`.${method}(${rustText(key)}, ${rustValue(one)})`);
    } else if (name === "ReturnConsumedCapacity") {
      lines.push(`.${method}(ReturnConsumedCapacity::${String(value)[0]}${String(value).slice(1).toLowerCase()})`);
    } else {
      lines.push(`.${method}(${typeof value === "string" ? rustText(value) : JSON.stringify(value)})`);
    }
  }
  return `let answer = client\n    .${cased(request.operation, "_")}()\n${lines.map((line) => `    ${line}\n`).join("")}    .send()\n    .await?;`;
}
