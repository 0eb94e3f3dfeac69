/** No regular expression of the functions takes more than linear time, whatever a caller or a provider writes. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkSync } from 'recheck';
import { describe, expect, it } from 'vitest';
import { priceData } from '#lambdas/pricing/price-data.ts';
import { inThisForm } from '#test/support/test-form.ts';
import { findRegularExpressions } from './support/regular-expressions.ts';

const root = path.resolve(import.meta.dirname, '..');
const files = globSync('lambdas/**/*.ts', { cwd: root }).sort();
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The checker tries texts at random, and gives up after a while: here the same ones, for as long as they take. */
const sameEachTime = {
  /** How often it breeds new texts from those that took longest. */
  maxIteration: inThisForm({ short: 2, long: 10 }),
  timeout: null,
  incubationTimeout: null,
  attackTimeout: null,
  recallTimeout: null,
  randomSeed: 0,
};

/** By which the price table finds models, JSON inside JSON. */
const expressionsOfPrices = Object.entries(priceData).flatMap(([provider, text]) =>
  [...text.matchAll(/"regex":("(?:[^"\\]|\\.)*")/g)].map(([, json = '']) => ({
    file: `prices of ${provider}`,
    source: String(JSON.parse(json)),
    flags: '',
  })),
);

describe('the regular expressions of the functions', () => {
  it('take linear time, so that no text can hold the function up', () => {
    const inCode = files.flatMap((file) =>
      findRegularExpressions(read(file)).map((expression) => ({ file, ...expression })),
    );
    const expressions = [...inCode, ...expressionsOfPrices];
    const verdicts = expressions.map(({ file, source, flags }) => {
      const { status } = checkSync(source, flags, sameEachTime);
      return { file, expression: `/${source}/${flags}`, status };
    });
    expect(verdicts.filter(({ status }) => status !== 'safe')).toEqual([]);
    expect(inCode.length).toBeGreaterThan(150);
    expect(expressionsOfPrices.length).toBeGreaterThan(30);
  });

  it('stand in the code as they are, or in the prices, so that the check above sees them', () => {
    expect(files.filter((file) => /\bRegExp\(/.test(read(file)))).toEqual(['lambdas/pricing/find-model.ts']);
  });
});

describe('the search for regular expressions', () => {
  it.each<[string, string[]]>([
    ['const a = /b+/g;', ['/b+/g']],
    ['a / b / c', []],
    ['f(x) / g[1] / 2', []],
    ['return /a/.test(b) / 2', ['/a/']],
    ['[/a/, /[/\\]]\\//u]', ['/a/', '/[/\\]]\\//u']],
    ['// it is /not/ one\nx(/one/)', ['/one/']],
    ['/* nor /this/ */ !/one/i', ['/one/i']],
    ['\'/a/\' + "/b/" + `/c/`', []],
    ['`/a/ $' + '{b / c} /d/ $' + '{f(/e/)} $' + '{`$' + '{{ g: /h/ }}`}` / 2', ['/e/', '/h/']],
    ["'it\\'s' + /a'/ + 'b'", ["/a'/"]],
  ])('finds in %s: %j', (code, expected) => {
    const found = findRegularExpressions(code).map(({ source, flags }) => `/${source}/${flags}`);
    expect(found).toEqual(expected);
  });
});
