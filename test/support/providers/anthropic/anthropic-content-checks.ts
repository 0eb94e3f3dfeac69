/** What the Messages API refuses in a content block. https://platform.claude.com/docs/en/api/messages/create */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { refuse } from './anthropic-errors.ts';

interface BlockRules {
  keys: readonly string[];
  /** The only role that may send such a block. */
  role?: 'user' | 'assistant';
  check?(path: string, block: JsonObject): void;
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

const rulesByBlock: Record<string, BlockRules> = {
  text: {
    keys: ['text', 'cache_control', 'citations'],
    check: (path, { text }) => checkText(path, text),
  },
  image: {
    keys: ['source', 'cache_control'],
    role: 'user',
    check: (path, { source }) =>
      checkSource(`${path}.source`, source, { mediaTypes: imageTypes, others: [] }),
  },
  document: {
    keys: ['source', 'title', 'context', 'citations', 'cache_control'],
    role: 'user',
    check: (path, { source }) =>
      checkSource(`${path}.source`, source, { mediaTypes: ['application/pdf'], others: ['content', 'text'] }),
  },
  search_result: { keys: ['source', 'title', 'content', 'citations', 'cache_control'], role: 'user' },
  tool_result: {
    keys: ['tool_use_id', 'content', 'is_error', 'cache_control'],
    role: 'user',
    check: checkToolResult,
  },
  tool_use: {
    keys: ['id', 'name', 'input', 'cache_control', 'caller'],
    role: 'assistant',
    check: checkToolUse,
  },
  thinking: {
    keys: ['thinking', 'signature'],
    role: 'assistant',
    check: (path, { signature }) => {
      if (typeof signature !== 'string') refuse(`${path}.signature: Field required`);
    },
  },
  redacted_thinking: { keys: ['data'], role: 'assistant' },
};

export function checkBlock(path: string, block: unknown, role: string): asserts block is JsonObject {
  const type = isJsonObject(block) ? String(block.type) : '';
  const rules = rulesByBlock[type];
  if (!isJsonObject(block) || rules === undefined) {
    const tags = Object.keys(rulesByBlock).sort();
    refuse(
      `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: '${tags.join("', '")}'`,
    );
  }
  if (rules.role !== undefined && rules.role !== role) {
    refuse(`${path.split('.content')[0]}: \`${type}\` blocks can only be in \`${rules.role}\` messages`);
  }
  checkKeys(`${path}.${type}`, block, ['type', ...rules.keys]);
  if (block.cache_control !== undefined) checkCacheControl(`${path}.${type}`, block.cache_control);
  rules.check?.(`${path}.${type}`, block);
}

export function checkKeys(path: string, value: JsonObject, allowed: readonly string[]): void {
  const extra = Object.keys(value).find((key) => !allowed.includes(key));
  if (extra !== undefined) refuse(`${path === '' ? '' : `${path}.`}${extra}: Extra inputs are not permitted`);
}

export function checkText(path: string, text: unknown): void {
  if (typeof text !== 'string') refuse(`${path}.text: Input should be a valid string`);
  const place = path.split('.')[0];
  if (text === '') refuse(`${place}: text content blocks must be non-empty`);
  if (text.trim() === '') refuse(`${place}: text content blocks must contain non-whitespace text`);
}

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
export function checkCacheControl(path: string, mark: unknown): void {
  if (mark === null) return;
  if (!isJsonObject(mark) || mark.type !== 'ephemeral') {
    refuse(`${path}.cache_control.type: Input should be 'ephemeral'`);
  }
  checkKeys(`${path}.cache_control.ephemeral`, mark, ['type', 'ttl']);
  if (mark.ttl !== undefined && mark.ttl !== '5m' && mark.ttl !== '1h') {
    refuse(`${path}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'`);
  }
}

function checkToolUse(path: string, { id, name, input }: JsonObject): void {
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id)) {
    refuse(`${path}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  if (typeof name !== 'string' || !/^.{1,200}$/s.test(name)) {
    refuse(`${path}.name: String should have at least 1 character`);
  }
  if (!isJsonObject(input)) refuse(`${path}.input: Input should be a valid dictionary`);
}

function checkToolResult(path: string, { tool_use_id, content }: JsonObject): void {
  if (typeof tool_use_id !== 'string') refuse(`${path}.tool_use_id: Field required`);
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) refuse(`${path}.content: Input should be a valid list`);
  for (const [index, part] of content.entries()) checkBlock(`${path}.content.${index}`, part, 'user');
}

interface SourceRules {
  /** Of a base64 source. */
  mediaTypes: readonly string[];
  /** The types of source beside `base64` and `url`. */
  others: readonly string[];
}

function checkSource(path: string, source: unknown, { mediaTypes, others }: SourceRules): void {
  const type = isJsonObject(source) ? source.type : undefined;
  if (isJsonObject(source) && type === 'base64') checkBase64(`${path}.base64`, source, mediaTypes);
  else if (isJsonObject(source) && type === 'url') checkUrl(`${path}.url`, source);
  else if (typeof type !== 'string' || !others.includes(type)) {
    const tags = ['base64', ...others, 'url'].join("', '");
    refuse(
      `${path}: Input tag '${type ?? ''}' found using 'type' does not match any of the expected tags: '${tags}'`,
    );
  }
}

function checkUrl(path: string, source: JsonObject): void {
  checkKeys(path, source, ['type', 'url']);
  if (typeof source.url !== 'string') refuse(`${path}.url: Field required`);
  if (!source.url.startsWith('https://')) refuse(`${path}.url: Only HTTPS URLs are supported.`);
}

function checkBase64(path: string, source: JsonObject, mediaTypes: readonly string[]): void {
  checkKeys(path, source, ['type', 'media_type', 'data']);
  const { media_type, data } = source;
  if (typeof media_type !== 'string' || !mediaTypes.includes(media_type)) {
    refuse(`${path}.media_type: Input should be ${listed(mediaTypes)}`);
  }
  if (data === '') refuse(`${path}: image cannot be empty`);
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    refuse(`${path}: invalid base64 data`);
}

/** As Pydantic words it: `'a', 'b' or 'c'`. */
export function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
