/** Generates the bodies of chat requests, as all servers read them alike or with tricks. */
import { fc } from '../fast-check.ts';
import type { JsonTree } from './ambiguous-json.ts';

type Tree = fc.Arbitrary<JsonTree>;

const value = (...values: unknown[]): Tree => fc.constantFrom(...values.map((it) => ({ value: it })));
const items = (item: Tree, maxLength: number): Tree =>
  fc.array(item, { maxLength }).map((list) => ({ items: list }));

/** Mostly the name itself. */
function keyOf(name: string): fc.Arbitrary<string> {
  const others = [name.toUpperCase(), name.replaceAll('s', 'ſ').replaceAll('k', '\u212a')];
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(name) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/** Without `model`. With tricks, members are missing, repeated or in another letter case, and values have other forms. */
export function chatBodies(hasTricks: boolean): Tree {
  const object = (fields: Record<string, Tree>): Tree => {
    const members = Object.entries(fields).map(([name, tree]) => {
      const once = fc.tuple(fc.constant(name), tree).map((member) => [member]);
      const tricks = fc.array(fc.tuple(keyOf(name), tree), { maxLength: 3 });
      return hasTricks ? fc.oneof({ weight: 8, arbitrary: once }, { weight: 1, arbitrary: tricks }) : once;
    });
    return fc
      .tuple(...members)
      .chain((found) => fc.shuffledSubarray(found.flat(), { minLength: found.flat().length }))
      .map((shuffled) => ({ members: shuffled }));
  };
  const tricky = (plain: unknown[], tricks: unknown[]): Tree => value(...plain, ...(hasTricks ? tricks : []));
  const url = value('https://x.test/1', 'data:image/png;base64,AAAA');
  const file = value(
    'data:application/pdf;base64,AA==',
    'data:text/plain;base64,AA==',
    'data:image/png;base64,AA==',
  );
  const part = fc.oneof(
    object({
      type: tricky(['text'], ['TEXT', 'image_url', null]),
      text: value('Hi', 'audio', '{"type":"file"}'),
    }),
    object({
      type: tricky(['image_url'], ['IMAGE_URL', 'text', 'video_url']),
      image_url: fc.oneof(object({ url }), url),
    }),
    object({ type: tricky(['video_url'], ['Video_URL', 'text']), video_url: object({ url }) }),
    object({ type: tricky(['input_audio'], ['INPUT_AUDIO']), input_audio: object({ data: value('AAAA') }) }),
    object({ type: tricky(['file'], ['File', 'text']), file: object({ file_data: file }) }),
  );
  const message = fc.oneof(
    object({ role: value('user'), content: fc.oneof(items(part, 2), value('Hi')) }),
    object({ role: value('assistant'), audio: object({ id: value('audio_1') }), images: items(part, 1) }),
  );
  const free = value({ service_tier: 'priority', type: 'image_url', image_url: {}, Messages: ['audio'] });
  const number = tricky([1, 3, 5_000], ['7000', '2', null]);
  return object({
    messages: items(message, 2),
    max_completion_tokens: number,
    ...(hasTricks && { max_tokens: number }),
    n: tricky([1, 2], ['3', null]),
    service_tier: tricky(['default', 'flex', 'priority', 'auto', null], ['PRIORITY', 'Default', 'other', 1]),
    modalities: value(['text'], ['text', 'audio']),
    metadata: free,
    tools: free,
  });
}
