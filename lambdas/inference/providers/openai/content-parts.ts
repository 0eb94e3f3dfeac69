/** Adapts content parts to a provider that accepts only some kinds or fields, or takes documents in another kind. */
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { MessageRules } from '../request-rules.ts';
import { type JsonEdit, type JsonPath, type RequestChanges, remove, set } from './json-edits.ts';

/** Cache breakpoints can be left out, since these providers cache prompts automatically. */
const cacheBreakpoints = ['cache_control', 'prompt_cache_breakpoint'];

export function contentPartChanges(
  content: unknown,
  path: JsonPath,
  { parts, acceptsDocuments }: { parts: MessageRules['parts'] | null; acceptsDocuments: boolean },
): RequestChanges {
  const edits: JsonEdit[] = [];
  const ignored: string[] = [];
  for (const [position, part] of (Array.isArray(content) ? content : []).entries()) {
    if (!isJsonObject(part)) continue;
    const partPath = [...path, position];
    const document = acceptsDocuments ? imageAsDocument(part) : null;
    if (document !== null && hasImageDetail(part)) ignored.push('image_url.detail');
    const replacement = (parts === null ? null : strictPart(document ?? part, parts)) ?? document;
    if (replacement !== null) edits.push(set(partPath, replacement));
    if (parts === null) continue;
    const removed = cacheBreakpointChanges(part, partPath);
    ignored.push(...removed.ignored);
    edits.push(...removed.edits);
  }
  return { edits, ignored };
}

/** Returns a PDF in `image_url` as the part for files; `null` for any other part. */
function imageAsDocument({ type, image_url: image, ...others }: JsonObject): JsonObject | null {
  const url = isJsonObject(image) ? image.url : image;
  if (type !== 'image_url' || typeof url !== 'string' || !/^data:application\/pdf[;,]/i.test(url))
    return null;
  return { ...others, type: 'file', file: { filename: 'document.pdf', file_data: url } };
}

function hasImageDetail({ image_url: image }: JsonObject): boolean {
  return (objectOrEmpty(image).detail ?? 'auto') !== 'auto';
}

/** Returns `null` for a part that the provider accepts. */
function strictPart(part: JsonObject, parts: MessageRules['parts']): JsonObject | null {
  if (part.type === 'refusal') return refusalAsText(part);
  return parts === 'mistral' ? mistralPart(part) : null;
}

export function cacheBreakpointChanges(partOrTool: JsonObject, path: JsonPath): RequestChanges {
  const ignored = cacheBreakpoints.filter((name) => partOrTool[name] !== undefined);
  return { edits: ignored.map((name) => remove([...path, name])), ignored };
}

function refusalAsText({ refusal }: JsonObject): JsonObject {
  return { type: 'text', text: stringOrEmpty(refusal) };
}

/**
 * Mistral's format references documents by URL and has audio as plain base64. Returns `null` for a part that does not
 * change. https://docs.mistral.ai/api/#tag/chat
 */
function mistralPart({ type, file, input_audio: audio }: JsonObject): JsonObject | null {
  if (type === 'input_audio' && isJsonObject(audio)) return { type, input_audio: audio.data };
  if (type !== 'file' || !isJsonObject(file)) return null;
  const { file_data: data, file_id: id, filename: name } = file;
  if (typeof id === 'string') return { type: 'file', file_id: id };
  if (typeof data !== 'string') return null;
  return {
    type: 'document_url',
    document_url: data,
    ...(typeof name === 'string' && { document_name: name }),
  };
}
