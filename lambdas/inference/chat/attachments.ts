/** Finds in a chat request the images, recordings, videos and files, and the fields that can change its prices. */
import { type Medium, media } from '#lambdas/limits/estimate.ts';
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

export const chatFormat: RequestFormat = {
  listAttachments,
  textFields: new Set([
    ...['functions', 'messages', 'metadata', 'model', 'prediction', 'prompt_cache_key', 'response_format'],
    ...['safety_identifier', 'stop', 'tools', 'user'],
  ]),
};

function* listAttachments(body: LooseObject): Generator<Attachment> {
  for (const message of objectsIn(body, 'messages')) {
    const fields = looseObject(message);
    for (const name of ['content', 'images']) {
      for (const part of objectsIn(fields, name)) {
        const attachments = partAttachments(looseObject({ ...part, isCertain: true }));
        yield* part.isCertain ? attachments : attachments.map(withoutData);
      }
    }
    // The audio of an earlier response, by its id.
    if (fields.find('audio').values.some(isObject)) yield { medium: 'audio', data: '' };
  }
}

function* objectsIn(parent: LooseObject, name: string): Generator<LooseValue> {
  for (const list of parent.find(name).values) {
    for (const item of looseItems(list)) if (isObject(item)) yield item;
  }
}

function withoutData({ medium }: Attachment): Attachment {
  return { medium, data: '' };
}

const partTypes = ['image_url', 'video_url', 'input_audio', 'file'] as const;
type PartType = (typeof partTypes)[number];

/** Returns an empty list for a part that counts as text. */
function partAttachments(part: LooseObject): Attachment[] {
  const { values, isNamedExactly } = part.find('type');
  const names = values.map(stringOf);
  const mayBeUntyped = !isNamedExactly || names.includes(null);
  const isCertain = values.every((value) => value.isCertain);
  return partTypes.flatMap((type) => {
    const isNamed = names.some((name) => name !== null && foldCase(name) === type);
    // vLLM infers a missing type: https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/entrypoints/chat_utils.py
    const isInferred = mayBeUntyped && part.find(type).values.length > 0;
    if (!isNamed && !isInferred) return [];
    const attachments = attachmentsOfType(type, part);
    return isCertain && names.includes(type) ? attachments : attachments.map(withoutData);
  });
}

function attachmentsOfType(type: PartType, part: LooseObject): Attachment[] {
  const { values, isNamedExactly } = part.find(type);
  const find = (name: string) => values.flatMap((value) => looseObject(value).find(name).values);
  switch (type) {
    case 'image_url': {
      const urls = [...values.filter((value) => !isObject(value)), ...find('url')];
      return [{ medium: 'image', data: certainText(urls, mediaUrl) }];
    }
    case 'video_url':
      return [{ medium: 'video', data: certainText(find('url'), mediaUrl) }];
    case 'input_audio':
      return [{ medium: 'audio', data: certainText(find('data'), (value) => stringOf(value) ?? '') }];
    case 'file': {
      const hasData = values.every((value) => looseObject(value).find('file_data').isNamedExactly);
      return fileAttachments(find('file_data'), isNamedExactly && hasData);
    }
    default:
      return type satisfies never;
  }
}

function certainText(values: readonly LooseValue[], textOf: (value: LooseValue) => string): string {
  const value = values.find(({ isCertain }) => isCertain);
  return value === undefined ? '' : textOf(value);
}

/** `hasData` is false if a server may find a file without data, which counts as a document. */
function fileAttachments(values: readonly LooseValue[], hasData: boolean): Attachment[] {
  const files = [...values.map(mediaUrl), ...(hasData ? [] : [''])];
  const data = certainText(values, mediaUrl);
  return mediaOf(files).map((medium) => ({ medium, data }));
}

/** Omits text files, whose bytes are a better bound than a figure: Base64 only adds to them. */
function mediaOf(files: readonly string[]): Medium[] {
  const found = files
    .filter((data) => !/^data:(text\/|application\/(json|xml|x-))/i.test(data))
    .map((data) => /^data:(image|audio|video)\//i.exec(data)?.[1]?.toLowerCase());
  return [...new Set(found.map((family) => media.find((name) => name === family) ?? 'document'))];
}

/** Any other string counts as text, in case a provider reads it as such. */
function mediaUrl(value: LooseValue): string {
  const text = stringOf(value) ?? '';
  return /^(data|https?):/i.test(text) ? text : '';
}
