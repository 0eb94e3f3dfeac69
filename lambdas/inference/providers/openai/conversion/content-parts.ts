/** Renders content parts. https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages */
import type { ContentPart, MediaPart, MediaSource, TextPart } from '#lambdas/inference/completion/content.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

/** A single text is a string, since some servers accept only that. */
export function renderContent(parts: readonly ContentPart[]): string | JsonObject[] {
  const [first, ...others] = parts;
  if (first === undefined) return '';
  return others.length === 0 && first.type === 'text' ? first.text : parts.map(renderPart);
}

function renderPart(part: TextPart | MediaPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { source, detail, filename } = part;
  switch (part.medium) {
    case 'image':
      return { type: 'image_url', image_url: { url: urlOf(source), ...(detail !== null && { detail }) } };
    case 'video':
      return { type: 'video_url', video_url: { url: urlOf(source) } };
    case 'audio':
      return { type: 'input_audio', input_audio: audioOf(part) };
    case 'document':
      return { type: 'file', file: { ...nameOf(source, filename), file_data: urlOf(source) } };
    default:
      return part.medium satisfies never;
  }
}

/** A file of text has the same tokens as a part of the message, which every model accepts. */
export function withTextOfFile(part: ContentPart): ContentPart {
  if (part.type !== 'media' || part.source.kind === 'url' || !part.source.mediaType.startsWith('text/'))
    return part;
  const { source, filename, cacheControl, param } = part;
  const text = Buffer.from(source.data, 'base64').toString('utf8');
  return { type: 'text', text: filename === null ? text : `${filename}\n${text}`, cacheControl, param };
}

export function urlOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function audioOf({ source, param }: MediaPart): JsonObject {
  if (source.kind === 'base64') {
    return { data: source.data, format: source.mediaType.slice(source.mediaType.indexOf('/') + 1) };
  }
  throw unsupportedParameterError(param, `${param} is a URL of audio, which this provider does not fetch`);
}

/** OpenAI requires a name beside the data. */
export function nameOf(source: MediaSource, filename: string | null): JsonObject {
  if (filename !== null) return { filename };
  return source.kind === 'base64' && source.mediaType === 'application/pdf'
    ? { filename: 'document.pdf' }
    : {};
}
