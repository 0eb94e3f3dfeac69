/** Finds in a Responses request the images, recordings and files, and the fields that can change its prices. */
import type { Medium } from '#lambdas/limits/estimate.ts';
import {
  foldCase,
  isObject,
  type LooseObject,
  type LooseValue,
  looseItems,
  looseObject,
  stringOf,
} from '#lambdas/platform/json/loose-json.ts';
import type { Attachment, RequestFormat } from '../completion/max-cost.ts';

export const responsesFormat: RequestFormat = {
  listAttachments,
  textFields: new Set([
    ...['client_metadata', 'conversation', 'include', 'input', 'instructions', 'metadata', 'model', 'prompt'],
    ...['previous_response_id', 'prompt_cache_key', 'safety_identifier', 'text', 'tools', 'user'],
  ]),
};

function* listAttachments(body: LooseObject): Generator<Attachment> {
  for (const list of body.find('input').values) yield* attachmentsIn(list);
}

/** Looks into the content of messages, and into the results of tools, which may be a single part. */
function* attachmentsIn(value: LooseValue): Generator<Attachment> {
  for (const item of isObject(value) ? [value] : looseItems(value)) {
    if (!isObject(item)) continue;
    const part = looseObject(item);
    yield* attachmentsOf(part);
    for (const name of ['content', 'output']) {
      for (const content of part.find(name).values) yield* attachmentsIn(content);
    }
  }
}

/** The types of parts, with the field that has their data or URL. */
const partTypes: readonly { type: string; medium: Medium; data: string }[] = [
  { type: 'input_image', medium: 'image', data: 'image_url' },
  { type: 'computer_screenshot', medium: 'image', data: 'image_url' },
  { type: 'image_generation_call', medium: 'image', data: 'result' },
  { type: 'input_file', medium: 'document', data: 'file_data' },
  { type: 'input_audio', medium: 'audio', data: 'data' },
];

function attachmentsOf(part: LooseObject): Attachment[] {
  const types = part.find('type').values;
  const names = types.map(stringOf);
  return partTypes.flatMap(({ type, medium, data: field }) => {
    if (!names.some((name) => name !== null && foldCase(name) === type)) return [];
    const isCertain = names.length === 1 && names[0] === type && types.every((value) => value.isCertain);
    return [{ medium, data: isCertain ? dataOf(part, field) : '' }];
  });
}

/** Empty for a reference, and if servers may find other data. Audio is in an object of its own. */
function dataOf(part: LooseObject, field: string): string {
  const parents = [part, ...part.find('input_audio').values.map(looseObject)];
  const [value, ...others] = parents.flatMap((parent) => parent.find(field).values);
  if (value === undefined || others.length > 0 || !value.isCertain) return '';
  return stringOf(value) ?? '';
}
