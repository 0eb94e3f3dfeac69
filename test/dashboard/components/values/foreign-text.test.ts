import { describe, expect, it } from 'vitest';
import { ForeignText, hasInvisible, withCodes } from '#dashboard/components/values/foreign-text.tsx';
import { only, renderComponent, textOf } from '#test/dashboard/rendering/markup.ts';

describe('Text of callers', () => {
  it.each([
    ['anna\u202Egnp.exe', 'anna[U+202E]gnp.exe'],
    ['a\u0000b\nc', 'a[U+0000]b[U+000A]c'],
    ['zero\u200Bwidth', 'zero[U+200B]width'],
    ['\u3164', '[U+3164]'],
  ])('shows what cannot be seen in %j', (text, shown) => {
    expect(withCodes(text)).toBe(shown);
    expect(hasInvisible(text)).toBe(true);
  });

  it.each(['anna', 'Zoë Müller', '\u0645\u0631\u064A\u0645', '日本', '👩‍💻', 'a b'])(
    'stays as it is: %s',
    (text) => {
      expect(withCodes(text)).toBe(text);
      expect(hasInvisible(text)).toBe(false);
    },
  );

  it('is isolated from the direction of the text around it', () => {
    expect(textOf(only(renderComponent(ForeignText, { children: '\u0645\u0631\u064A\u0645' }), 'bdi'))).toBe(
      '\u0645\u0631\u064A\u0645',
    );
  });
});
