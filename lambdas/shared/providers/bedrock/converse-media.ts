/**
 * Parts of content in OpenAI's format, as content blocks of Converse.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
import { invalidRequest } from '../../domain/gateway-error.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type ContentPart, type MediaPart, withoutBlanks } from '../translation/content-parts.ts';
import { unsupportedParameter } from '../translation/parameters.ts';
import type { BedrockModel } from './bedrock-models.ts';

/** A text of blanks says nothing, and Converse refuses it. */
export function contentBlocks(parts: readonly ContentPart[], model: BedrockModel): JsonObject[] {
  return withoutBlanks(parts).flatMap((part) => {
    const block = part.type === 'text' ? { text: part.text } : mediaBlock(part);
    return [block, ...cachePoint(part.cacheControl, model)];
  });
}

/** A mark stands behind what it ends. https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html */
export function cachePoint(cacheControl: JsonObject | null, { caching }: BedrockModel): JsonObject[] {
  if (cacheControl === null || caching === 'none') return [];
  const { ttl } = cacheControl;
  return [{ cachePoint: { type: 'default', ...(ttl !== undefined && ttl !== null && { ttl }) } }];
}

const formats: Readonly<Record<MediaPart['medium'], Readonly<Record<string, string>>>> = {
  image: {
    'image/png': 'png',
    'image/jpeg': 'jpeg',
    // Many say so, though there is no such type.
    'image/jpg': 'jpeg',
    'image/gif': 'gif',
    'image/webp': 'webp',
  },
  document: {
    'application/pdf': 'pdf',
    'text/csv': 'csv',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'text/html': 'html',
    'text/plain': 'txt',
    'text/markdown': 'md',
  },
  audio: {
    'audio/wav': 'wav',
    'audio/mp3': 'mp3',
    'audio/mpeg': 'mp3',
    'audio/aac': 'aac',
    'audio/flac': 'flac',
    'audio/ogg': 'ogg',
    'audio/opus': 'opus',
    'audio/webm': 'webm',
  },
  video: {
    'video/mp4': 'mp4',
    'video/quicktime': 'mov',
    'video/x-matroska': 'mkv',
    'video/webm': 'webm',
    'video/x-flv': 'flv',
    'video/mpeg': 'mpeg',
    'video/x-ms-wmv': 'wmv',
    'video/3gpp': 'three_gp',
  },
};

function mediaBlock({ medium, source, filename, param }: MediaPart): JsonObject {
  if (source.kind === 'url') {
    throw unsupportedParameter(
      param,
      `${param} is an address, and Bedrock fetches none: send the data itself, as a data URL`,
    );
  }
  const known = formats[medium];
  const format = Object.hasOwn(known, source.mediaType) ? known[source.mediaType] : undefined;
  if (format === undefined) {
    const names = [...new Set(Object.values(known))].join(', ');
    throw unsupportedParameter(param, `${param} is of type ${source.mediaType}: Bedrock takes ${names}`);
  }
  if (!isBase64(source.data)) throw invalidRequest(param, `${param} must hold data in base64`);
  const content = { format, source: { bytes: source.data } };
  return { [medium]: medium === 'document' ? { name: documentName(filename), ...content } : content };
}

/** The API's own words for broken data name no place. */
function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/**
 * Letters, digits, hyphens, underscores, brackets, and single spaces, 200 at most. The extension goes, since a dot is
 * refused. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html; what is taken
 * beyond the page: https://github.com/aws-samples/generative-ai-use-cases/issues/1671
 */
function documentName(filename: string | null): string {
  const name = (filename ?? '')
    .replace(/\.[^.]*$/, '')
    .replace(/[^A-Za-z0-9_\-()[\]]+/g, ' ')
    .trim()
    .slice(0, 200)
    .trim();
  return name === '' ? 'document' : name;
}
