/**
 * Parses and validates the content blocks that the Messages API has in messages of the user and in tool results.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import {
  type ContentPart,
  type MediaSource,
  readCacheControl,
  setCacheControlOnLast,
  withoutEmptyText,
} from '#lambdas/inference/completion/content.ts';
import { mediaTypeOf } from '#lambdas/inference/providers/translation/media-types.ts';
import {
  type GatewayError,
  invalidRequestError,
  unsupportedParameterError,
} from '#lambdas/platform/errors.ts';
import { isAbsent, readObject, readOptionalText, readText } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

/** Reads a text or a list of blocks, without empty text. */
export function readContent(content: unknown, param: string): ContentPart[] {
  return withoutEmptyText(
    readList(content, param).flatMap(({ block, path }) => readContentBlock(block, path)),
  );
}

interface PlacedBlock {
  block: JsonObject;
  /** Its path in the request. */
  path: string;
}

/** A text is a single block of its own. */
export function readList(content: unknown, param: string): PlacedBlock[] {
  if (isAbsent(content)) return [];
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, path: param }];
  if (!Array.isArray(content)) {
    throw invalidRequestError(param, `${param} must be a string or an array of content blocks`);
  }
  return content.map((value, index) => {
    const path = `${param}.${index}`;
    return { block: readObject(value, path), path };
  });
}

/** A block with several contents becomes as many parts, the last of which has its cache breakpoint. */
export function readContentBlock(block: JsonObject, param: string): ContentPart[] {
  const cacheControl = readCacheControl(block, param);
  const parts = readParts(block, param);
  setCacheControlOnLast(parts, cacheControl);
  return parts;
}

function readParts(block: JsonObject, param: string): ContentPart[] {
  switch (block.type) {
    case 'text':
      return [textPart(block.text, param, `${param}.text`)];
    case 'image': {
      const source = readSource(block.source, `${param}.source`, ['base64', 'url']);
      return [mediaPart('image', source, { filename: null, param })];
    }
    case 'document':
      return readDocument(block, param);
    case 'search_result':
      return [
        textPart(block.title, param, `${param}.title`),
        textPart(block.source, param, `${param}.source`),
        ...readContent(block.content, `${param}.content`),
      ];
    // All tools are defined in the request, so that the name is enough.
    case 'tool_reference':
      return [textPart(block.tool_name, param, `${param}.tool_name`)];
    default:
      throw blockTypeError(block, param);
  }
}

/** `param` is the path of the block, `field` that of the text. */
function textPart(value: unknown, param: string, field = param): ContentPart {
  return { type: 'text', text: readText(value, field), cacheControl: null, param };
}

function mediaPart(
  medium: 'image' | 'document',
  source: MediaSource,
  { filename, param }: { filename: string | null; param: string },
): ContentPart {
  return { type: 'media', medium, source, filename, detail: null, cacheControl: null, param };
}

/** A document that consists of blocks becomes these blocks, after its title. */
function readDocument(block: JsonObject, param: string): ContentPart[] {
  const source = readObject(block.source, `${param}.source`);
  const title = readOptionalText(block.title, `${param}.title`) || null;
  const context = readOptionalText(block.context, `${param}.context`) || null;
  const before = (...texts: (string | null)[]) =>
    texts.filter((text) => text !== null).map((text) => textPart(text, param));
  if (source.type === 'content') {
    return [...before(title, context), ...readContent(source.content, `${param}.source.content`)];
  }
  const types = ['base64', 'url', 'text', 'content'];
  const media = readSource(source, `${param}.source`, types);
  return [...before(context), mediaPart('document', media, { filename: title, param })];
}

/** `types` are those of the sources that the block can have. */
function readSource(value: unknown, param: string, types: readonly string[]): MediaSource {
  const source = readObject(value, param);
  if (source.type === 'file') {
    throw unsupportedParameterError(
      `${param}.file_id`,
      `${param}.file_id names a file that this provider does not have: send its content instead`,
    );
  }
  const type = types.find((known) => known === source.type);
  switch (type) {
    case 'base64': {
      const data = readText(source.data, `${param}.data`);
      const label = readText(source.media_type, `${param}.media_type`).toLowerCase();
      return { kind: 'base64', mediaType: mediaTypeOf(label, data), data };
    }
    case 'text': {
      const text = readText(source.data, `${param}.data`);
      return { kind: 'base64', mediaType: 'text/plain', data: Buffer.from(text).toString('base64') };
    }
    case 'url':
      return { kind: 'url', url: readText(source.url, `${param}.url`) };
    default:
      throw invalidRequestError(`${param}.type`, `${param}.type must be one of ${types.join(', ')}`);
  }
}

/** True for a call of a tool that Anthropic has run earlier, and for its result, which only Anthropic can read. */
export function isHostedBlock({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || (typeof type === 'string' && /[a-z]_tool_result$/.test(type));
}

/** The error for a block that only the Messages API has, such as one of a tool that Anthropic runs, or that has no type. */
export function blockTypeError({ type }: JsonObject, param: string): GatewayError {
  const field = `${param}.type`;
  if (typeof type !== 'string') return invalidRequestError(field, `${field} must be a string`);
  // Any other text may be a part of a prompt.
  const name = /^[\w.-]{1,64}$/.test(type) ? type : 'of a type';
  return unsupportedParameterError(field, `${field} is ${name}, which this provider does not support here`);
}
