import type { LocalStack } from '#local/template/local-stack.ts';
import { resourcesOfType } from '#local/template/template.ts';
import { asObject, asString, type JsonObject } from '#local/untyped-json.ts';

/** The part of the local stack that the user pool reads. */
export type TemplateSource = Pick<LocalStack, 'template' | 'resolve'>;

/** A resource whose intrinsic functions are resolved. */
export interface ResolvedResource {
  logicalId: string;
  /** The value of `Ref`. */
  ref: string;
  properties: JsonObject;
}

export function resolvedResourcesOfType(stack: TemplateSource, type: string): ResolvedResource[] {
  return resourcesOfType(stack.template, type).map(({ logicalId, properties }) => ({
    logicalId,
    ref: asString(stack.resolve({ Ref: logicalId }), `Ref ${logicalId}`),
    properties: asObject(stack.resolve(properties), logicalId),
  }));
}
