import { describe, expect, it } from 'vitest';
import { createTerminalOutput, escapeControls } from '#lib/terminal-output.mjs';
import { controlCharacters, controlCharactersIn } from '#test/support/control-characters.ts';
import { character, fc } from '#test/support/fast-check.ts';

/** Text with many control characters, and JSON's own special characters beside them. */
const text = fc.string({
  unit: fc.oneof(character, fc.constantFrom(...controlCharacters, '\\', '"', '\n', '\t', 'u')),
});

/** Collects what is written to a stream. */
function outputTo(stream: { isTTY?: boolean } = {}) {
  const written: string[] = [];
  const output = createTerminalOutput({ ...stream, write: (chunk) => written.push(chunk) });
  return { output, written };
}

describe('escapeControls', () => {
  it('escapes exactly the characters that control a terminal or the direction of its text', () => {
    const changed: string[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      const unit = String.fromCharCode(code);
      if (escapeControls(unit) !== unit) changed.push(unit);
    }

    expect(changed).toEqual(controlCharacters);
  });

  it.each([
    ['\u0000', '\\u0000'],
    ['\r', '\\u000d'],
    ['\u001b', '\\u001b'],
    ['\u007f', '\\u007f'],
    ['\u009b', '\\u009b'],
    ['\u2028', '\\u2028'],
    ['\u202e', '\\u202e'],
    ['\u2069', '\\u2069'],
  ])('writes %j as %s', (unit, escaped) => {
    expect(escapeControls(`a${unit}b`)).toBe(`a${escaped}b`);
  });

  it('leaves no such character, keeps all others, and changes nothing when it is repeated', () => {
    fc.assert(
      fc.property(text, (original) => {
        const escaped = escapeControls(original);

        expect(controlCharactersIn(escaped)).toEqual([]);
        expect(escapeControls(escaped)).toBe(escaped);
        const parts = controlCharacters.reduce((rest, unit) => rest.replaceAll(unit, ''), original);
        expect(escaped.length).toBe(parts.length + 6 * (original.length - parts.length));
      }),
    );
  });

  it('keeps the value of JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), fc.constantFrom(0, 2), (value, indent) => {
        const json = escapeControls(JSON.stringify(value, null, indent));

        expect(controlCharactersIn(json)).toEqual([]);
        expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe('A terminal output', () => {
  it('escapes text, and keeps the control characters of the product itself', () => {
    const { output, written } = outputTo();

    output.write('name\u001b[2J\n');
    output.write({ escaped: '\u001b[1m bold \u001b[22m\n' });

    expect(written).toEqual(['name\\u001b[2J\n', '\u001b[1m bold \u001b[22m\n']);
  });

  it.each([
    ['escapes data for a terminal', { isTTY: true }, 'a,"\\u009b\n"\n'],
    ['keeps data for a file or another program', {}, 'a,"\u009b\n"\r\n'],
  ])('%s', (_, stream, expected) => {
    const { output, written } = outputTo(stream);

    output.writeData('a,"\u009b\n"\r\n', () => {});

    expect(written).toEqual([expected]);
  });
});
