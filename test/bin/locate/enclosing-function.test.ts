import { expect, it } from 'vitest';
import { enclosingFunction } from '#bin/locate/enclosing-function.ts';

const source = `const limit: number = 1;
export function declared(values: number[]) {
  return values.map((value) => value + limit);
}
const arrow = async () => {
  const inner = () => limit;
  return inner;
};
const object = { method() { return limit; }, property: () => limit };
class Store { read = () => limit; find() { return limit; } }
object.property = function () { return limit + 1; };
`;

it.each([
  ['at the top level', 1, 'limit', null],
  ['in an anonymous function', 3, 'limit', 'declared'],
  ['in a nested arrow function', 6, 'limit', 'inner'],
  ['in an arrow function', 7, 'inner', 'arrow'],
  ['in a method of an object', 9, 'return', 'method'],
  ['in a property of a class', 10, 'limit', 'read'],
  ['that is assigned to a property', 11, 'limit', 'property'],
  ['in a method of a class', 10, 'return', 'find'],
])('finds the name of the function %s', (_, line, text, name) => {
  const column = (source.split('\n')[line - 1] ?? '').indexOf(text) + 1;

  expect(enclosingFunction(source, { file: 'source.ts', line, column })).toBe(name);
});
