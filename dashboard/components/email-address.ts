/** Returns why an address is refused, or null. The server has the last word. */
export function checkEmailAddress(value: string): string | null {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim())
    ? null
    : 'Enter an e-mail address, such as name@example.com';
}
