/** Outgoing mail. Nothing is sent: people read it on a page of the sign-in origin. */

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** A code that the text contains. */
  code?: string;
  /** ISO 8601. */
  sentAt: string;
}

export interface Mailbox {
  /** The newest mail first. */
  messages(): readonly Mail[];
  send(mail: Omit<Mail, 'sentAt'>): void;
}

const maxMessages = 100;

/** `url` is the page that shows the mail. The log does not contain codes. */
export function createMailbox(options: {
  url: string;
  now: () => number;
  log: (line: string) => void;
}): Mailbox {
  const messages: Mail[] = [];
  return {
    messages: () => messages,
    send(mail) {
      messages.unshift({ ...mail, sentAt: new Date(options.now()).toISOString() });
      messages.length = Math.min(messages.length, maxMessages);
      options.log(`mail to ${mail.to}: ${mail.subject}, see ${options.url}`);
    },
  };
}
