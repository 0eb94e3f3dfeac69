/**
 * Parses and validates the parts of a message's content in OpenAI's format.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
import {
  type ContentPart,
  type MediaPart,
  readCacheControl,
  setCacheControlOnLast,
  withoutEmptyText,
} from '#lambdas/inference/completion/content.ts';
import {
  audioSource,
  detectMedium,
  readUrlSource,
} from '#lambdas/inference/providers/translation/media-sources.ts';
import { invalidRequestError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isAbsent, readOptionalText, readText } from '#lambdas/platform/json/fields.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';

/**
 * Drops empty text, which providers reject. `cacheControl`, the cache breakpoint of the whole content, is set on the
 * last part unless that part has its own.
 */
export function readContent(content: unknown, param: string, cacheControl: JsonObject | null): ContentPart[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, cacheControl, param }];
  if (!Array.isArray(content))
    throw invalidRequestError(param, `${param} must be a string or an array of content parts`);
  const parts = withoutEmptyText(content.map((value, index) => readPart(value, `${param}[${index}]`)));
  setCacheControlOnLast(parts, cacheControl);
  return parts;
}

function readPart(part: unknown, param: string): ContentPart {
  if (!isJsonObject(part)) throw invalidRequestError(param, `${param} must be an object with a type`);
  const common = { cacheControl: readCacheControl(part, param), param };
  switch (part.type) {
    case 'text':
      return { type: 'text', text: readText(part.text, `${param}.text`), ...common };
    case 'refusal':
      return { type: 'text', text: readText(part.refusal, `${param}.refusal`), ...common };
    case 'image_url':
      return { ...readUrlPart(part.image_url, `${param}.image_url`, 'image'), ...common };
    case 'video_url':
      return { ...readUrlPart(part.video_url, `${param}.video_url`, 'video'), ...common };
    case 'input_audio':
      return { ...readAudio(part.input_audio, `${param}.input_audio`), ...common };
    case 'file':
      return { ...readFile(part.file, `${param}.file`), ...common };
    default:
      throw invalidRequestError(
        `${param}.type`,
        `${param}.type must be text, image_url, input_audio, file, video_url or refusal`,
      );
  }
}

type Medium = Omit<MediaPart, 'cacheControl' | 'param'>;

function readUrlPart(value: unknown, param: string, medium: 'image' | 'video'): Medium {
  if (!isJsonObject(value)) throw invalidRequestError(param, `${param} must be an object with a url`);
  const source = readUrlSource(readText(value.url, `${param}.url`), `${param}.url`);
  const detail = readOptionalText(value.detail, `${param}.detail`);
  return { type: 'media', medium: detectMedium(source, medium), source, filename: null, detail };
}

function readAudio(value: unknown, param: string): Medium {
  if (!isJsonObject(value))
    throw invalidRequestError(param, `${param} must be an object with data and format`);
  const source = audioSource(value, param);
  return { type: 'media', medium: detectMedium(source, 'audio'), source, filename: null, detail: null };
}

/** Accepts `file_data` as a data URL, like OpenAI, or as an http(s) URL, like other gateways. */
function readFile(value: unknown, param: string): Medium {
  if (!isJsonObject(value)) throw invalidRequestError(param, `${param} must be an object with file_data`);
  if (isAbsent(value.file_data) && !isAbsent(value.file_id)) {
    throw unsupportedParameterError(
      `${param}.file_id`,
      `${param}.file_id names a file that this provider does not have: send file_data instead`,
    );
  }
  const filename = readOptionalText(value.filename, `${param}.filename`);
  const source = readUrlSource(readText(value.file_data, `${param}.file_data`), `${param}.file_data`);
  return { type: 'media', medium: detectMedium(source, 'document'), source, filename, detail: null };
}
