// Requests to our own server. The token is part of the page's path, so relative addresses carry it.

const listeners = new Set();

/** What the server says is wrong, in words for people. */
export class Refused extends Error {
  constructor(message, kind, status) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

/** Call f(true) when the server cannot be reached, f(false) when it can be again. */
export const onLost = (f) => listeners.add(f);
const tell = (lost) => listeners.forEach((f) => f(lost));

async function answered(request) {
  let answer;
  try {
    answer = await request;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    tell(true);
    throw new Refused("The lab's server does not answer.", "Lost", 0);
  }
  tell(false);
  let told;
  try {
    told = await answer.json();
  } catch {
    throw new Refused(`The lab's server answered ${answer.status}.`, "Lost", answer.status);
  }
  if (!answer.ok) throw new Refused(told.error, told.kind, answer.status);
  return told;
}

const query = (told) => new URLSearchParams(Object.entries(told).filter(([, v]) => v !== undefined && v !== null));

/** GET api/PATH with a query. */
export const get = (path, told = {}, signal = undefined) =>
  answered(fetch(`api/${path}?${query(told)}`, { signal }));

/** POST api/PATH with a JSON object. */
export const post = (path, told = {}, signal = undefined) =>
  answered(fetch(`api/${path}`, {
    method: "POST", signal, body: JSON.stringify(told), headers: { "content-type": "application/json" },
  }));

/** Ask again whenever something changed, one request at a time: the last change is always asked about. */
export function latest(ask, show) {
  let busy = false, again = false;
  return async () => {
    again = true;
    if (busy) return;
    busy = true;
    while (again) {
      again = false;
      const found = await ask();
      if (found) show(found);
    }
    busy = false;
  };
}

/** Send a file; told() is given the share that has been sent. */
export function upload(path, file, told = () => {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `api/${path}?${query({ name: file.name })}`);
    request.upload.onprogress = (e) => told(e.lengthComputable ? e.loaded / e.total : 0);
    request.onerror = () => {
      tell(true);
      reject(new Refused("The file could not be sent: the server does not answer.", "Lost", 0));
    };
    request.onload = () => {
      try {
        const answer = JSON.parse(request.responseText);
        if (request.status < 300) resolve(answer);
        else reject(new Refused(answer.error, answer.kind, request.status));
      } catch {
        reject(new Refused(`The lab's server answered ${request.status}.`, "Lost", request.status));
      }
    };
    request.send(file);
  });
}

/** Listen to events of api/PATH: events("run/watch", {run: 3}, {row: f, done: g}); returns close(). */
export function events(path, told, heard) {
  const source = new EventSource(`api/${path}?${query(told)}`);
  for (const [name, f] of Object.entries(heard)) {
    if (name === "error") continue;
    source.addEventListener(name, (e) => {
      if (name === "end") source.close(); // or the browser would connect again
      f(JSON.parse(e.data));
    });
  }
  source.onopen = () => tell(false);
  source.onerror = () => { // the browser tries again by itself, unless it was refused
    tell(true);
    heard.error?.(source.readyState === EventSource.CLOSED);
  };
  return () => source.close();
}
