/** The parts of a message's content for a provider that knows fewer: marks for a cache are lost, files Mistral's own. */
import { isJsonObject, type JsonObject, textOf } from '../../domain/json.ts';
import type { MessageRules } from '../request-rules.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import type { RequestChanges } from './request-changes.ts';

/** Marks for a cache that works without them. */
const marks = ['cache_control', 'prompt_cache_breakpoint'];

export function contentPartChanges(
  content: unknown,
  path: JsonPath,
  { parts }: Pick<MessageRules, 'parts'>,
): RequestChanges {
  const edits: JsonEdit[] = [];
  const ignored: string[] = [];
  for (const [place, part] of (Array.isArray(content) ? content : []).entries()) {
    if (!isJsonObject(part)) continue;
    const partPath = [...path, place];
    const other =
      part.type === 'refusal' ? refusalAsText(part) : parts === 'mistral' ? mistralPart(part) : null;
    const lost = markChanges(part, partPath);
    ignored.push(...lost.ignored);
    edits.push(...(other === null ? lost.edits : [set(partPath, other)]));
  }
  return { edits, ignored };
}

/** The marks on a part, or on a tool. */
export function markChanges(holder: JsonObject, path: JsonPath): RequestChanges {
  const ignored = marks.filter((name) => holder[name] !== undefined);
  return { edits: ignored.map((name) => remove([...path, name])), ignored };
}

function refusalAsText({ refusal }: JsonObject): JsonObject {
  return { type: 'text', text: textOf(refusal) };
}

/** https://docs.mistral.ai/api/#tag/chat: documents by address, audio as base64 alone; `null` for a part that stays. */
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
