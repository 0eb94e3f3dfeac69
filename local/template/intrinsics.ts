/** Resolves the CloudFormation intrinsic functions that the templates of this app use. */
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asArray, asString, isObject, type JsonObject } from '../untyped-json.ts';

export interface References {
  ref(name: string): unknown;
  /** `undefined` when the resource is unknown or its attribute is not emulated. */
  attribute(logicalId: string, attribute: string): string | undefined;
}

type Intrinsic = (
  argument: unknown,
  resolveNested: (value: unknown) => unknown,
  references: References,
) => unknown;

/** Represents `AWS::NoValue`: a property or list item with this value is removed. */
const noValue = Symbol('AWS::NoValue');

const intrinsics: Record<string, Intrinsic> = {
  Ref: (argument, _, references) => resolveRef(asString(argument, 'Ref'), references),
  'Fn::GetAtt': (argument, _, references) => resolveAttribute(argument, references),
  'Fn::Join': (argument, resolveNested) => {
    const [delimiter, values] = asArray(argument, 'Fn::Join');
    const parts = asArray(resolveNested(values), 'Fn::Join').map((part) => asString(part, 'Fn::Join'));
    return parts.join(asString(delimiter, 'Fn::Join'));
  },
  'Fn::Split': (argument, resolveNested) => {
    const [delimiter, value] = asArray(argument, 'Fn::Split');
    return asString(resolveNested(value), 'Fn::Split').split(asString(delimiter, 'Fn::Split'));
  },
  'Fn::Select': (argument, resolveNested) => {
    const [index, values] = asArray(argument, 'Fn::Select');
    const selected = asArray(resolveNested(values), 'Fn::Select')[Number(resolveNested(index))];
    if (selected === undefined) throw new LocalGatewayError(`Fn::Select has no element ${index}`);
    return selected;
  },
  'Fn::Sub': (argument, resolveNested, references) => substitute(argument, resolveNested, references),
};

/** Replaces all intrinsic functions in the value. Throws when one is unsupported or cannot be resolved. */
export function resolveIntrinsics(value: unknown, references: References): unknown {
  const resolved = resolveValue(value, references);
  return resolved === noValue ? undefined : resolved;
}

function resolveValue(value: unknown, references: References): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolveValue(item, references)).filter((item) => item !== noValue);
  }
  if (!isObject(value)) return value;
  const call = intrinsicCall(value);
  if (call === undefined) return resolveFields(value, references);
  const intrinsic = intrinsics[call.name];
  if (intrinsic === undefined) throw new LocalGatewayError(`The local run does not support ${call.name}`);
  return intrinsic(call.argument, (nested) => resolveValue(nested, references), references);
}

function intrinsicCall(value: JsonObject): { name: string; argument: unknown } | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  const [name, argument] = entry;
  return name === 'Ref' || name.startsWith('Fn::') ? { name, argument } : undefined;
}

function resolveFields(value: JsonObject, references: References): JsonObject {
  const entries = Object.entries(value).map(
    ([key, field]) => [key, resolveValue(field, references)] as const,
  );
  return Object.fromEntries(entries.filter(([, field]) => field !== noValue));
}

function resolveRef(name: string, references: References): unknown {
  if (name === 'AWS::NoValue') return noValue;
  const value = references.ref(name);
  if (value === undefined) throw new LocalGatewayError(`Ref ${name} cannot be resolved`);
  return value;
}

function resolveAttribute(argument: unknown, references: References): string {
  const path = typeof argument === 'string' ? argument.split('.') : asArray(argument, 'Fn::GetAtt');
  const [logicalId, ...attributePath] = path.map((part) => asString(part, 'Fn::GetAtt'));
  const attribute = attributePath.join('.');
  const value = references.attribute(logicalId ?? '', attribute);
  if (value === undefined)
    throw new LocalGatewayError(`Fn::GetAtt ${logicalId}.${attribute} cannot be resolved`);
  return value;
}

/** Supports `${Name}`, `${Name.Attribute}`, `${!Literal}` and the variables of the two-argument form. */
function substitute(
  argument: unknown,
  resolveNested: (value: unknown) => unknown,
  references: References,
): string {
  const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
  const resolvedVariables = resolveNested(variables);
  return asString(text, 'Fn::Sub').replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    if (isObject(resolvedVariables) && resolvedVariables[name] !== undefined) {
      return String(resolvedVariables[name]);
    }
    return String(name.includes('.') ? resolveAttribute(name, references) : resolveRef(name, references));
  });
}
