/** What a tool said, as a function's response: https://ai.google.dev/api/caching#FunctionResponse */
import { parseExactJsonObject } from '../../domain/exact-json.ts';
import { type JsonObject, parseJsonObject } from '../../domain/json.ts';
import type { ContentPart, MediaPart, MediaSource } from '../translation/content-parts.ts';
import type { ToolMessage } from '../translation/messages.ts';
import { googlePart, inlineData } from './google-media.ts';
import type { GoogleModel } from './google-models.ts';

type Inline = MediaPart & { source: Extract<MediaSource, { kind: 'base64' }> };

export function functionResponse(
  { toolCallId, parts }: ToolMessage,
  name: string,
  model: GoogleModel,
): JsonObject {
  const inside = parts.filter((part): part is Inline => fitsIntoResult(part, model));
  const media = inside.map(({ source }) => inlineData(source));
  return {
    functionResponse: {
      id: toolCallId,
      name,
      response: responseOf(parts),
      ...(media.length > 0 && { parts: media }),
    },
  };
}

/** Media that the result itself cannot hold stands behind the results, in the same turn. */
export function mediaBesideResult({ parts }: ToolMessage, model: GoogleModel): JsonObject[] {
  return parts.filter((part) => part.type === 'media' && !fitsIntoResult(part, model)).map(googlePart);
}

function fitsIntoResult(part: ContentPart, model: GoogleModel): part is Inline {
  return part.type === 'media' && part.source.kind === 'base64' && model.takesMediaInResults;
}

/** The API wants an object. A text that is one is taken as it is, any other is what the documentation calls `output`. */
function responseOf(parts: readonly ContentPart[]): JsonObject {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return exactObject(text) ?? { output: text };
}

/**
 * The API reads numbers as JavaScript does, so an object with a number that would change stays a text, and so does one
 * with a `$ref`, such as a JSON Schema: the API looks for a part of that name. https://github.com/vercel/ai/issues/14369
 */
function exactObject(text: string): JsonObject | null {
  const exact = parseExactJsonObject(text);
  if (exact === null) return null;
  const value = parseJsonObject(text);
  const written = JSON.stringify(value);
  return JSON.stringify(exact) === written && !written.includes('"$ref":') ? value : null;
}
