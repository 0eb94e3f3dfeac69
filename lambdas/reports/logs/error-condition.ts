import { namedErrorCodes, statusInErrorCode } from '#lambdas/request-log/error-code.ts';

/** A part of a filter expression, with the names and values that it uses. */
export interface FilterCondition {
  expression: string;
  names: Record<string, string>;
  values: Record<string, string | number>;
}

/** `matchesErrorCode` as a filter expression on items. */
export function errorCondition(code: string): FilterCondition {
  const names = { '#error_code': 'error_code' };
  const status = statusInErrorCode(code);
  if (status === null)
    return { expression: '#error_code = :error_code', names, values: { ':error_code': code } };
  const namedCodes = Object.fromEntries(
    namedErrorCodes.map((named, index) => [`:error_code${index}`, named]),
  );
  return {
    expression:
      'attribute_exists(#error_code) AND #error_status = :error_status' +
      ` AND NOT #error_code IN (${Object.keys(namedCodes).join(', ')})`,
    names: { ...names, '#error_status': 'status' },
    values: { ...namedCodes, ':error_status': status },
  };
}
