/** Codes of six digits, which people also copy with spaces between them. */

export function normalizeCode(value: string): string {
  return value.replace(/\s/g, '');
}

export function checkCode(value: string): string | null {
  return /^\d{6}$/.test(normalizeCode(value)) ? null : 'Enter the six digits of the code';
}
