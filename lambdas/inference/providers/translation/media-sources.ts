/** Reads media in the formats of OpenAI: URLs, data URLs, and recordings. */

import type { MediaPart, MediaSource } from '#lambdas/inference/completion/content.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readText } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { mediaTypeOf } from './media-types.ts';

/** Callers send PDF in `image_url`, and media of any kind as a `file`; `expected` is the medium of other types. */
export function detectMedium(source: MediaSource, expected: MediaPart['medium']): MediaPart['medium'] {
  if (source.kind === 'url') return expected;
  if (source.mediaType === 'application/pdf') return 'document';
  const [family] = source.mediaType.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : expected;
}

/** Leaves room for a file name. */
const maxDataUrlHeaderLength = 1000;
const dataUrlHeader = /^data:([^;,/\s]+\/[^;,\s]+)(?:;[^;,]+)*;base64$/i;

/** Searches only the header, since the data can be large. */
export function readUrlSource(url: string, param: string): MediaSource {
  if (/^https?:\/\//i.test(url)) return { kind: 'url', url };
  const comma = url.slice(0, maxDataUrlHeaderLength).indexOf(',');
  const mediaType = dataUrlHeader.exec(url.slice(0, Math.max(0, comma)))?.[1];
  if (mediaType === undefined) {
    throw invalidRequestError(
      param,
      `${param} must be an http(s) URL or a data URL such as data:image/png;base64,…`,
    );
  }
  const data = url.slice(comma + 1);
  return { kind: 'base64', mediaType: mediaTypeOf(mediaType.toLowerCase(), data), data };
}

/** `audio` has the fields `format` and `data`. */
export function audioSource(audio: JsonObject, param: string): MediaSource {
  const label = `audio/${readText(audio.format, `${param}.format`)}`;
  const data = readText(audio.data, `${param}.data`);
  return { kind: 'base64', mediaType: mediaTypeOf(label, data), data };
}
