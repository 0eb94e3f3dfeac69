/** The request as a target gets it: with its model, and the parameters that it overrides. */
import type { RouteTarget } from '#lambdas/routing/route.ts';
import { applyEdits, bodyMembers, modelEdits, type TextEdit } from '../request-body.ts';

/** `text` is the JSON of an object with a `model`. Keeps every other byte. */
export function targetRequestText(text: string, { model, parameters = {} }: RouteTarget): string {
  const members = bodyMembers(text);
  const edits: TextEdit[] = [...modelEdits(members, model)];
  const added: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    const json = JSON.stringify(value);
    // Every one of duplicate keys: servers differ in which of them they read.
    const existing = members.filter(({ key }) => key === name);
    for (const { start, end } of existing) edits.push({ start, end, text: json });
    if (existing.length === 0) added.push(`,${JSON.stringify(name)}:${json}`);
  }
  const end = members.at(-1)?.end ?? text.length;
  return applyEdits(text, added.length === 0 ? edits : [...edits, { start: end, end, text: added.join('') }]);
}
