/** Whether a URL is our page: compared as parsed origin, because any text can stand somewhere in a foreign URL. */
export function isOwnPage(url: string): boolean {
  const parsed = parse(url);
  return parsed !== undefined && parsed.protocol === 'causeway:' && parsed.host === 'app' && parsed.username === '';
}

/** Links that may be handed to the system's browser; everything else (file:, javascript:, other schemes) is not. */
export function isOutsideLink(url: string): boolean {
  const parsed = parse(url);
  return parsed !== undefined && parsed.protocol === 'https:' && parsed.username === '' && parsed.password === '';
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
