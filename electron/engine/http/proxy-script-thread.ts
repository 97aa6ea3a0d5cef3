/**
 * What the thread runs that evaluates a proxy script. As text it needs no file, neither beside the sources nor in a package, and no
 * build can change it. Its data: `engine`, the address of the WebAssembly engine's library; `wasm`, the engine itself; `script`, `url`,
 * `host`, `myAddress`.
 * It says when it is ready. For each message with the addresses that are known it evaluates the script from its beginning, in a fresh engine
 * without anything of this process, and answers with what the script returned and which names it asked for in vain.
 */
export const threadProgram = `
const { parentPort, workerData } = require('node:worker_threads');
const { engine, wasm, script, url, host, myAddress, functions, memoryLimit } = workerData;
const loading = import(engine);
loading.then(() => parentPort.postMessage({ missing: [] }), (error) => parentPort.postMessage({ failure: 'no engine: ' + error.message, missing: [] }));
parentPort.on('message', async (addresses) => {
  const missing = new Set();
  try {
    const { QuickJS } = await loading;
    const vm = await QuickJS.create({ wasm, memoryLimit, maxStackSize: 128 * 1024 });
    const provide = (name, answer) => vm.setProp(vm.global, name, vm.newFunction(name, (value) => {
      const text = answer(value !== undefined && value.isString ? value.toString().slice(0, 300) : '');
      return text === null ? vm.null : vm.newString(text);
    }));
    provide('dnsResolve', (name) => {
      const known = addresses.get(name.toLowerCase());
      if (known === undefined) missing.add(name.toLowerCase());
      return known ?? null;
    });
    provide('myIpAddress', () => myAddress);
    provide('alert', () => null);
    vm.evalCode(functions, 'functions').dispose();
    vm.evalCode(script, 'script').dispose();
    const find = vm.evalCode("typeof FindProxyForURLEx === 'function' && typeof FindProxyForURL !== 'function' ? FindProxyForURLEx : FindProxyForURL", 'entry');
    const found = vm.callFunction(find, vm.undefined, vm.newString(url), vm.newString(host));
    if (!found.isString) parentPort.postMessage({ failure: 'it returned no text', missing: [...missing] });
    else parentPort.postMessage({ answer: found.toString().slice(0, 4096), missing: [...missing] });
  } catch (error) {
    let said = 'it failed';
    try { said = String(error.name) + ': ' + String(error.message) } catch {}
    parentPort.postMessage({ failure: said.slice(0, 300), missing: [...missing] });
  }
});`;

/**
 * The functions that scripts may call, as browsers provide them, beside `dnsResolve`, `myIpAddress` and `alert`. They run in the engine.
 * Names and their meaning: "Proxy Auto-Configuration (PAC) file", developer.mozilla.org.
 */
export const scriptFunctions = `
function isPlainHostName(host) { return !String(host).includes('.') && !String(host).includes(':'); }
function dnsDomainIs(host, domain) { return String(host).toLowerCase().endsWith(String(domain).toLowerCase()); }
function localHostOrDomainIs(host, full) {
  host = String(host).toLowerCase(); full = String(full).toLowerCase();
  return host === full || (!host.includes('.') && full.startsWith(host + '.'));
}
function isResolvable(host) { return dnsResolve(String(host)) !== null; }
function convert_addr(address) {
  const parts = /^(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})$/.exec(String(address));
  if (parts === null || parts.slice(1).some((part) => part > 255)) return undefined;
  return ((parts[1] << 24) | (parts[2] << 16) | (parts[3] << 8) | parts[4]) >>> 0;
}
function isInNet(host, pattern, mask) {
  let address = convert_addr(host);
  if (address === undefined) address = convert_addr(dnsResolve(String(host)));
  const bits = convert_addr(mask);
  const wanted = convert_addr(pattern);
  return address !== undefined && bits !== undefined && wanted !== undefined && ((address & bits) >>> 0) === ((wanted & bits) >>> 0);
}
function dnsDomainLevels(host) { return String(host).split('.').length - 1; }
function shExpMatch(text, pattern) {
  text = String(text); pattern = String(pattern);
  let at = 0, p = 0, star = -1, from = 0;
  while (at < text.length) {
    if (p < pattern.length && pattern[p] === '*') { star = p++; from = at; }
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[at])) { at++; p++; }
    else if (star >= 0) { p = star + 1; at = ++from; }
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
(function () {
  const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  const within = (from, now, to) => (from <= to ? from <= now && now <= to : now >= from || now <= to);
  const split = (given) => {
    const values = Array.from(given);
    const isGmt = values[values.length - 1] === 'GMT';
    if (isGmt) values.pop();
    const now = new Date();
    const get = (part) => now[(isGmt ? 'getUTC' : 'get') + part]();
    return { values, get };
  };
  globalThis.weekdayRange = function (...given) {
    const { values, get } = split(given);
    const [from, to = from] = values.map((day) => days.indexOf(day));
    return from >= 0 && to >= 0 && within(from, get('Day'), to);
  };
  globalThis.timeRange = function (...given) {
    const { values, get } = split(given);
    const [hour, minute, second] = [get('Hours'), get('Minutes'), get('Seconds')];
    const n = values.map(Number);
    if (n.length === 1) return hour === n[0];
    if (n.length === 2) return n[0] <= n[1] ? n[0] <= hour && hour < n[1] : hour >= n[0] || hour < n[1];
    const now = hour * 3600 + minute * 60 + second;
    if (n.length === 4) return within(n[0] * 3600 + n[1] * 60, now, n[2] * 3600 + n[3] * 60);
    return n.length === 6 && within(n[0] * 3600 + n[1] * 60 + n[2], now, n[3] * 3600 + n[4] * 60 + n[5]);
  };
  globalThis.dateRange = function (...given) {
    const { values, get } = split(given);
    const kind = (value) => (months.includes(value) ? 'month' : Number(value) > 31 ? 'year' : 'day');
    const half = values.length === 1 ? 1 : values.length / 2;
    if (values.length === 0 || !Number.isInteger(half)) return false;
    const read = (part) => Object.fromEntries(part.map((value) => [kind(value), kind(value) === 'month' ? months.indexOf(value) : Number(value)]));
    const first = read(values.slice(0, half));
    const last = values.length === 1 ? first : read(values.slice(half));
    const now = { year: get('FullYear'), month: get('Month'), day: get('Date') };
    const weight = (date) => ('year' in first ? date.year * 512 : 0) + ('month' in first ? date.month * 32 : 0) + ('day' in first ? date.day : 0);
    const isCircular = !('year' in first);
    const [from, at, to] = [weight(first), weight(now), weight(last)];
    return isCircular ? within(from, at, to) : from <= at && at <= to;
  };
})();
`;
