import { describe, expect, it } from 'vitest';
import { createFormReader, type ResponseForm } from '#lambdas/inference/providers/http/response-form.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';

function read(chunks: readonly Buffer[]) {
  const forms: (ResponseForm | null)[] = [];
  const reader = createFormReader((form) => {
    forms.push(form);
    return { push: (chunk) => chunk, end: () => Buffer.from('.') };
  });
  const bytes = Buffer.concat([...chunks.map((chunk) => reader.push(chunk)), reader.end()]);
  return { forms, text: bytes.toString('latin1') };
}

const mark = '\xef\xbb\xbf';

describe('createFormReader', () => {
  it.each<[string, ResponseForm | null, string]>([
    ['{"a":1}', 'json', '{"a":1}.'],
    [' \r\n\t[1]', 'json', '[1].'],
    [`${mark}{"a":1}`, 'json', '{"a":1}.'],
    [`${mark}\n{"a":1}`, 'json', '{"a":1}.'],
    ['data: {"a":1}\n\n', 'events', 'data: {"a":1}\n\n.'],
    [`${mark}data: 1\n\n`, 'events', 'data: 1\n\n.'],
    ['\n\n: wait\n\n', 'events', ': wait\n\n.'],
    ['<html>', 'events', '<html>.'],
    ['\xef\xbbx', 'events', '\xef\xbbx.'],
    ['\0\0\0\x10', 'frames', '\0\0\0\x10.'],
    ['', null, '.'],
    [' \n', null, '.'],
    [mark, null, '.'],
    ['\xef', null, '.'],
  ])('tells the form of %j by its first bytes (%s), wherever they are split', (text, form, output) => {
    fc.assert(
      fc.property(splitAnywhere, (split) => {
        expect(read(split(Buffer.from(text, 'latin1')))).toEqual({ forms: [form], text: output });
      }),
    );
  });
});
