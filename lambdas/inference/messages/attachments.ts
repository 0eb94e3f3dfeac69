/** Finds in a Messages request the images and documents, and the fields that can change its prices. */
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

export const messagesFormat: RequestFormat = {
  listAttachments,
  textFields: new Set(['messages', 'metadata', 'model', 'stop_sequences', 'system', 'tools']),
};

function* listAttachments(body: LooseObject): Generator<Attachment> {
  for (const name of ['system', 'messages']) {
    for (const list of body.find(name).values) yield* attachmentsIn(list);
  }
}

/** Looks into the content of messages, tool results and documents. */
function* attachmentsIn(list: LooseValue): Generator<Attachment> {
  for (const item of looseItems(list)) {
    if (!isObject(item)) continue;
    const block = looseObject(item);
    yield* attachmentsOf(block);
    const sources = block.find('source').values.map(looseObject);
    for (const parent of [block, ...sources]) {
      for (const content of parent.find('content').values) yield* attachmentsIn(content);
    }
  }
}

function attachmentsOf(block: LooseObject): Attachment[] {
  const types = block.find('type').values;
  const names = types.map(stringOf);
  return (['image', 'document'] as const).flatMap((medium) => {
    if (!names.some((name) => name !== null && foldCase(name) === medium)) return [];
    const isCertain = names.length === 1 && names[0] === medium && types.every((type) => type.isCertain);
    const [source, ...others] = block.find('source').values;
    if (!isCertain || source === undefined || others.length > 0) return [{ medium, data: '' }];
    return attachmentsFrom(medium, looseObject(source));
  });
}

/** The bytes of text are a better bound than the figure of a document. */
function attachmentsFrom(medium: Attachment['medium'], source: LooseObject): Attachment[] {
  const [kind = null, ...otherKinds] = source.find('type').values.map(certainText);
  if (kind === null || otherKinds.length > 0) return [{ medium, data: '' }];
  if (kind === 'text' || kind === 'content') return [];
  const [data = null, ...others] = source.find(kind === 'url' ? 'url' : 'data').values.map(certainText);
  return [{ medium, data: data === null || others.length > 0 ? '' : data }];
}

function certainText(value: LooseValue): string | null {
  return value.isCertain ? stringOf(value) : null;
}
