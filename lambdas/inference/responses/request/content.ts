/**
 * Parses and validates the content parts of messages and of the results of tools.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
import {
  type ContentPart,
  type MediaPart,
  type MediaSource,
  withoutEmptyText,
} from '#lambdas/inference/completion/content.ts';
import {
  audioSource,
  detectMedium,
  readUrlSource,
} from '#lambdas/inference/providers/translation/media-sources.ts';
import { invalidRequestError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isAbsent, readObject, readOptionalText, readText } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

/** Reads a text or a list of parts, without empty text. */
export function readContent(content: unknown, param: string): ContentPart[] {
  if (isAbsent(content)) return [];
  if (typeof content === 'string') return withoutEmptyText([textPart(content, param)]);
  if (!Array.isArray(content))
    throw invalidRequestError(param, `${param} must be a string or an array of content parts`);
  return withoutEmptyText(content.map((part, index) => readPart(part, `${param}[${index}]`)));
}

function textPart(text: string, param: string): ContentPart {
  return { type: 'text', text, cacheControl: null, param };
}

/** The parts that contain text, with the fields that have it. */
const textFields: ReadonlyMap<unknown, string> = new Map([
  ['input_text', 'text'],
  ['output_text', 'text'],
  ['text', 'text'],
  ['summary_text', 'text'],
  ['reasoning_text', 'text'],
  ['refusal', 'refusal'],
]);

function readPart(value: unknown, param: string): ContentPart {
  const part = readObject(value, param);
  const field = textFields.get(part.type);
  if (field !== undefined) return textPart(readText(part[field], `${param}.${field}`), param);
  switch (part.type) {
    case 'input_image':
      return readImage(part, param);
    case 'input_file':
      return readFile(part, param);
    case 'input_audio': {
      const audioParam = `${param}.input_audio`;
      return mediaPart('audio', audioSource(readObject(part.input_audio, audioParam), audioParam), { param });
    }
    default:
      throw invalidRequestError(
        `${param}.type`,
        `${param}.type must be input_text, output_text, refusal, input_image, input_file or input_audio`,
      );
  }
}

function mediaPart(
  expected: MediaPart['medium'],
  source: MediaSource,
  { param, filename = null, detail = null }: Pick<MediaPart, 'param'> & Partial<MediaPart>,
): MediaPart {
  const medium = detectMedium(source, expected);
  return { type: 'media', medium, source, filename, detail, cacheControl: null, param };
}

function readImage(part: JsonObject, param: string): MediaPart {
  refuseFileId(part, param, 'image_url');
  const source = readUrlSource(readText(part.image_url, `${param}.image_url`), `${param}.image_url`);
  return mediaPart('image', source, { param, detail: readOptionalText(part.detail, `${param}.detail`) });
}

function readFile(part: JsonObject, param: string): MediaPart {
  const field = isAbsent(part.file_data) && !isAbsent(part.file_url) ? 'file_url' : 'file_data';
  refuseFileId(part, param, field);
  const source = readUrlSource(readText(part[field], `${param}.${field}`), `${param}.${field}`);
  return mediaPart('document', source, {
    param,
    filename: readOptionalText(part.filename, `${param}.filename`),
  });
}

/** `field` is the one that may contain the content instead. */
function refuseFileId(part: JsonObject, param: string, field: string): void {
  if (isAbsent(part.file_id) || !isAbsent(part[field])) return;
  throw unsupportedParameterError(
    `${param}.file_id`,
    `${param}.file_id names a file that this provider does not have: send ${field} instead`,
  );
}
