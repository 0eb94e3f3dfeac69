/** A synthesized CloudFormation template, and how the checks walk through it. */
import { isObject, type JsonObject } from '#local/untyped-json.ts';

export interface Template {
  Resources: Record<string, Resource>;
  Parameters?: Record<string, { Default?: unknown }>;
  Outputs?: Record<string, unknown>;
}

interface Resource {
  Type: string;
  Properties?: JsonObject;
  DependsOn?: string | string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

/** States the place as the logical id and the path in the resource, then the problem and its fix. */
export type Finding = string;

export function resourcesOfType(template: Template, type: string): [logicalId: string, JsonObject][] {
  return Object.entries(template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([logicalId, { Properties = {} }]) => [logicalId, Properties]);
}

/** CloudFormation alone knows the value of an intrinsic function. */
export function isIntrinsic(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [name = '', ...others] = Object.keys(value);
  return others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'));
}

/** Calls `visit` with each object in a value, and with its path, such as `Outputs.Url.Value`. */
export function visitObjects(
  value: unknown,
  path: string,
  visit: (object: JsonObject, path: string) => void,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitObjects(item, `${path}[${index}]`, visit);
  } else if (isObject(value)) {
    visit(value, path);
    for (const [name, field] of Object.entries(value)) visitObjects(field, `${path}.${name}`, visit);
  }
}
