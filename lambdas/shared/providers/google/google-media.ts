/** Images, audio, videos and documents, in the form of the Gemini API: https://ai.google.dev/api/caching#Part */
import type { JsonObject } from '../../domain/json.ts';
import type { ContentPart, MediaPart, MediaSource } from '../translation/content-parts.ts';

export function googlePart(part: ContentPart): JsonObject {
  return part.type === 'text' ? { text: part.text } : mediaPart(part);
}

/** The API fetches what is at an address: https://ai.google.dev/gemini-api/docs/file-input-methods */
function mediaPart({ source }: MediaPart): JsonObject {
  if (source.kind === 'base64') return inlineData(source);
  const mimeType = mediaTypeOf(source.url);
  return { fileData: { ...(mimeType !== undefined && { mimeType }), fileUri: source.url } };
}

export function inlineData({ mediaType, data }: Extract<MediaSource, { kind: 'base64' }>): JsonObject {
  return { inlineData: { mimeType: mediaType, data } };
}

/** The types that the documentation names, by the ends of file names. What has none is left for the API to find out. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  xml: 'text/xml',
  json: 'application/json',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  m4a: 'audio/m4a',
  mp4: 'video/mp4',
  mov: 'video/mov',
  webm: 'video/webm',
  mpeg: 'video/mpeg',
};

function mediaTypeOf(url: string): string | undefined {
  const [, ending = ''] = /\.(\w+)(?:[?#]|$)/.exec(url.slice(url.lastIndexOf('/') + 1)) ?? [];
  return Object.hasOwn(mediaTypes, ending.toLowerCase()) ? mediaTypes[ending.toLowerCase()] : undefined;
}
