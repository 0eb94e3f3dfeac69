/**
 * Items that only OpenAI's API has, such as the calls of its tools: their readable text is kept, so that a conversation can go
 * on at another provider.
 */
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';

interface ReadableItem {
  role: 'user' | 'assistant' | 'system';
  /** Empty if only OpenAI can read the item. */
  text: string;
}

export function readUnknownItem(item: JsonObject): ReadableItem {
  const type = stringOrEmpty(item.type);
  const texts = readableTexts(item).filter((text) => text !== '');
  // An agent's message is text for the model; a call without its name would be read as words of the model.
  const heading = Array.isArray(item.content) || texts.length === 0 ? [] : [`${type}:`];
  return { role: roleOf(item), text: [...heading, ...texts].join('\n') };
}

function roleOf({ role, type }: JsonObject): ReadableItem['role'] {
  switch (role) {
    case 'user':
    case 'assistant':
      return role;
    case 'system':
    case 'developer':
      return 'system';
    default:
      return stringOrEmpty(type).endsWith('_call') ? 'assistant' : 'user';
  }
}

/** In the order in which they are read. */
const readableFields = [
  ...['text', 'refusal', 'content', 'summary', 'queries', 'query', 'code', 'action', 'operation', 'command'],
  ...['commands', 'path', 'diff', 'arguments', 'input', 'output', 'outputs', 'stdout', 'stderr', 'logs'],
  ...['results', 'error', 'message', 'url', 'title'],
];

function readableTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(readableTexts);
  if (!isJsonObject(value)) return [];
  return [
    ...encryptedText(value),
    ...readableFields.flatMap((field) => (field in value ? readableTexts(value[field]) : [])),
  ];
}

/** OpenAI's encryption, as of Fernet tokens. */
const encryptedPrefix = 'gAAAAA';

/** Codex asks the model for an encrypted text, which a model of another provider writes readable. */
function encryptedText({ type, encrypted_content: content }: JsonObject): string[] {
  const text = type === 'encrypted_content' ? stringOrEmpty(content) : '';
  return text.startsWith(encryptedPrefix) ? [] : [text];
}
