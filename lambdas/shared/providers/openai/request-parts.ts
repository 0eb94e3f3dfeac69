/** The parts of a message's content for Mistral: https://docs.mistral.ai/capabilities/document_ai/document_qna/ */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { textOf } from './message-repairs.ts';
import type { RequestChanges } from './request-changes.ts';

/** Marks for a cache that works without them. */
const marks = ['cache_control', 'prompt_cache_breakpoint'];

export function contentPartChanges(content: unknown, path: JsonPath): RequestChanges {
  const edits: JsonEdit[] = [];
  const ignored: string[] = [];
  for (const [place, part] of (Array.isArray(content) ? content : []).entries()) {
    if (!isJsonObject(part)) continue;
    const partPath = [...path, place];
    const other = translatedPart(part);
    if (other !== null) edits.push(set(partPath, other));
    for (const mark of marks.filter((name) => part[name] !== undefined)) {
      if (other === null) edits.push(remove([...partPath, mark]));
      ignored.push(mark);
    }
  }
  return { edits, ignored };
}

function translatedPart({ type, file, refusal }: JsonObject): JsonObject | null {
  if (type === 'refusal') return { type: 'text', text: textOf(refusal) };
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
