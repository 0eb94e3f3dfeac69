/** Parts of content in OpenAI's format, as content blocks. https://platform.claude.com/docs/en/api/messages/create */
import type { JsonObject } from '../../domain/json.ts';
import {
  type ContentPart,
  type MediaPart,
  type MediaSource,
  withoutBlanks,
} from '../translation/content-parts.ts';
import { unsupportedParameter } from '../translation/parameters.ts';

/** "text content blocks must contain non-whitespace text" */
export function contentBlocks(parts: readonly ContentPart[]): JsonObject[] {
  return withoutBlanks(parts).map(contentBlock);
}

function contentBlock(part: ContentPart): JsonObject {
  const block = part.type === 'text' ? { type: 'text', text: part.text } : mediaBlock(part);
  return { ...block, ...cacheMark(part.cacheControl) };
}

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
export function cacheMark(cacheControl: JsonObject | null): JsonObject {
  return cacheControl === null ? {} : { cache_control: cacheControl };
}

function mediaBlock(part: MediaPart): JsonObject {
  switch (part.medium) {
    case 'image':
      return { type: 'image', source: imageSource(part.source) };
    case 'document':
      return {
        type: 'document',
        source: documentSource(part.source, part.param),
        ...(part.filename !== null && { title: part.filename }),
      };
    case 'audio':
    case 'video':
      throw unsupportedParameter(part.param, `${part.param} is ${part.medium}, which Claude does not take`);
    default:
      return part.medium satisfies never;
  }
}

/** https://platform.claude.com/docs/en/build-with-claude/vision */
function imageSource(source: MediaSource): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  // The name that many use for JPEG is none.
  const mediaType = source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType;
  return { type: 'base64', media_type: mediaType, data: source.data };
}

/** PDF as it is, text as text. https://platform.claude.com/docs/en/build-with-claude/pdf-support */
function documentSource(source: MediaSource, param: string): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  const { mediaType, data } = source;
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data };
  if (/^text\/|^application\/json$/.test(mediaType)) {
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
  }
  throw unsupportedParameter(param, `${param} is of type ${mediaType}: Claude takes PDF and text`);
}
