/** Reads JSON as protobuf does: both spellings of a field's name, nothing that the message does not have, every value of its type. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { enums, messages, oneofs } from './google-messages.ts';

/** What is wrong, and in which field, in the words of the API. */
export interface FieldViolation {
  field: string;
  description: string;
}

const typePrefix = 'type.googleapis.com/google.ai.generativelanguage.v1beta.';

/** The message with its fields in camel case, lists where the field is repeated, and null fields left out. */
export function parseMessage(name: string, json: JsonObject, violations: FieldViolation[]): JsonObject {
  return message(name, json, { path: '', violations });
}

interface Place {
  /** Such as `contents[0].parts[1]`; empty at the root. */
  path: string;
  violations: FieldViolation[];
}

function message(name: string, json: JsonObject, place: Place): JsonObject {
  const fields = messages[name] ?? {};
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(json)) {
    const field = Object.keys(fields).find((snake) => key === snake || key === camelCase(snake));
    const type = field === undefined ? undefined : fields[field];
    if (field === undefined || type === undefined) unknownName(key, 'Cannot find field.', place);
    else if (value !== null) {
      const path = place.path === '' ? field : `${place.path}.${field}`;
      checkOneof(name, field, result, place);
      result[camelCase(field)] = fieldValue({ key, type, value, inner: { ...place, path }, outer: place });
    }
  }
  return result;
}

interface Field {
  key: string;
  type: string;
  value: unknown;
  inner: Place;
  outer: Place;
}

function fieldValue({ key, type, value, inner, outer }: Field): unknown {
  if (type.endsWith('[]')) {
    // One value stands for a list of one; Google's own examples write `"parts": {"text": …}`.
    const list = Array.isArray(value) ? value : [value];
    const element = type.slice(0, -2);
    return list.map((item, index) => single(element, item, { ...inner, path: `${inner.path}[${index}]` }));
  }
  if (type.startsWith('map<') && isJsonObject(value)) {
    const entries = Object.entries(value).map(([name, item], index) => [
      name,
      single(type.slice(4, -1), item, { ...inner, path: `${inner.path}[${index}].value` }),
    ]);
    return Object.fromEntries(entries);
  }
  if (Array.isArray(value) && type !== 'Value') {
    unknownName(key, 'Proto field is not repeating, cannot start list.', outer);
    return undefined;
  }
  return single(type, value, inner);
}

function single(type: string, value: unknown, place: Place): unknown {
  if (type in messages) {
    if (isJsonObject(value)) return message(type, value, place);
    return invalidValue(`${typePrefix}${type}`, value, place);
  }
  const allowed = enums[type];
  if (allowed !== undefined) {
    const upper = typeof value === 'string' ? value.toUpperCase() : '';
    return allowed.includes(upper) ? upper : invalidValue(`${typePrefix}${type}`, value, place);
  }
  return scalar(type, value, place);
}

function scalar(type: string, value: unknown, place: Place): unknown {
  switch (type) {
    case 'Value':
      return value;
    case 'Struct':
      return isJsonObject(value)
        ? value
        : invalidValue('type.googleapis.com/google.protobuf.Struct', value, place);
    case 'string':
      return typeof value === 'string' ? value : invalidValue('TYPE_STRING', value, place);
    case 'bytes':
      return isBase64(value) ? value : badBase64(value, place);
    case 'bool':
      return typeof value === 'boolean' ? value : invalidValue('TYPE_BOOL', value, place);
    case 'int32':
    case 'int64':
      return Number.isInteger(numberOf(value))
        ? numberOf(value)
        : invalidValue(`TYPE_${type.toUpperCase()}`, value, place);
    case 'float':
    case 'double':
      return Number.isFinite(numberOf(value))
        ? numberOf(value)
        : invalidValue(`TYPE_${type.toUpperCase()}`, value, place);
    default:
      throw new Error(`There is no field type ${type}`);
  }
}

/** Numbers may be texts, as in all protobuf JSON. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

/** Both alphabets, padded or not. */
function isBase64(value: unknown): boolean {
  return (
    typeof value === 'string' && /^[\w+/-]*={0,2}$/.test(value) && value.replace(/=+$/, '').length % 4 !== 1
  );
}

function badBase64(value: unknown, { path, violations }: Place): undefined {
  const description = `Invalid value at '${path}' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(value)}`;
  violations.push({ field: path, description });
}

function invalidValue(type: string, value: unknown, { path, violations }: Place): undefined {
  violations.push({
    field: path,
    description: `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}`,
  });
}

function unknownName(key: string, problem: string, { path, violations }: Place): void {
  const at = path === '' ? '' : ` at '${path}'`;
  const description = `Invalid JSON payload received. Unknown name "${key}"${at}: ${problem}`;
  violations.push({ field: path, description });
}

function checkOneof(name: string, field: string, soFar: JsonObject, { path, violations }: Place): void {
  const oneof = oneofs[name];
  if (oneof === undefined || !oneof.fields.includes(field)) return;
  if (!oneof.fields.some((other) => camelCase(other) in soFar)) return;
  const problem = `oneof field '${oneof.name}' is already set. Cannot set '${camelCase(field)}'`;
  violations.push({ field: path, description: `Invalid value at '${path}' (oneof), ${problem}` });
}

function camelCase(snake: string): string {
  return snake.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
