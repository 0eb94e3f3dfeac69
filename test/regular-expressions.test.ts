/**
 * Checks that every regular expression of the functions takes linear time, since callers and providers choose the
 * input.
 */

import { checkSync } from 'recheck';
import { parseSync, Visitor } from 'vite';
import { describe, expect, it } from 'vitest';
import { priceData } from '#lambdas/pricing/table/price-data.ts';
import { sourceFilesIn, sourceModule } from '#test/support/source/modules.ts';
import { byTestForm } from '#test/support/test-form.ts';

const files = sourceFilesIn('lambdas');

function findRegularExpressions(code: string): { source: string; flags: string }[] {
  const found: { source: string; flags: string }[] = [];
  const visitor = new Visitor({
    Literal(literal) {
      if ('regex' in literal) found.push({ source: literal.regex.pattern, flags: literal.regex.flags });
    },
  });
  visitor.visit(parseSync('code.ts', code).program);
  return found;
}

/** Makes the checker deterministic: it generates random inputs and has time limits by default. */
const deterministicOptions = {
  /** The number of generations of inputs that the fuzzer derives from the slowest ones. */
  maxIteration: byTestForm({ short: 2, long: 10 }),
  timeout: null,
  incubationTimeout: null,
  attackTimeout: null,
  randomSeed: 0,
  /**
   * Skips the run of each attack in a separate process. With a time limit, an expression counts as linear when its
   * attack ends in time, however slowly: without one, whenever it ends.
   */
  recallTimeout: -1,
};

/** Expressions that do not take linear time, with the reason why they need not. */
const exemptions = {
  'lambdas/inference/providers/bedrock/sign.ts: /\\/+$/': 'No caller chooses the endpoint.',
};

/** The expressions with which the price table matches model names. They are JSON strings inside JSON. */
const priceExpressions = Object.entries(priceData).flatMap(([provider, text]) =>
  [...text.matchAll(/"regex":("(?:[^"\\]|\\.)*")/g)].map(([, json = '']) => ({
    file: `prices of ${provider}`,
    source: String(JSON.parse(json)),
    flags: '',
  })),
);

describe('Regular expressions of the functions', () => {
  it('uses only regular expressions that take linear time', () => {
    const inCode = files.flatMap((file) =>
      findRegularExpressions(sourceModule(file).code).map((expression) => ({ file, ...expression })),
    );
    const expressions = [...inCode, ...priceExpressions];
    const isLinear = new Map<string, boolean>();
    const slow = expressions.flatMap(({ file, source, flags }) => {
      const expression = `/${source}/${flags}`;
      if (!isLinear.has(expression))
        isLinear.set(expression, checkSync(source, flags, deterministicOptions).status === 'safe');
      return isLinear.get(expression) ? [] : [`${file}: ${expression}`];
    });
    expect(slow.sort()).toEqual(Object.keys(exemptions).sort());
    expect(inCode.length).toBeGreaterThan(150);
    expect(priceExpressions.length).toBeGreaterThan(30);
  });

  it('writes regular expressions only as literals or price data, so that the check above finds them', () => {
    expect(files.filter((file) => /\bRegExp\(/.test(sourceModule(file).code))).toEqual([
      'lambdas/pricing/table/find-model.ts',
    ]);
  });
});

describe('findRegularExpressions', () => {
  it.each<[string, string[]]>([
    ['const a = /b+/g;', ['/b+/g']],
    ['a / b / c', []],
    ['[/a/, /[/\\]]\\//u]', ['/a/', '/[/\\]]\\//u']],
    ['/* nor /this/ */ !/one/i', ['/one/i']],
  ])('finds in %s: %j', (code, expected) => {
    const found = findRegularExpressions(code).map(({ source, flags }) => `/${source}/${flags}`);
    expect(found).toEqual(expected);
  });
});
