// Requests to the server, and what it says when it refuses one.

import { t } from "./sentences.js";

/** A refused or failed request. `message` is a sentence for a person. */
export class ApiError extends Error {
  /**
   * @param {string} code stable code of the error; "unreachable" when there was no answer
   * @param {number} status HTTP status; 0 without an answer
   * @param {string} message a sentence for a person
   * @param {string} detail a sentence for somebody who looks closer
   * @param {object} body the whole answer
   */
  constructor(code, status, message, detail = "", body = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.body = body;
  }
}

const refusals = new Set();
/** Call `listener` with each ApiError of status 401. */
export const onSignedOut = (listener) => refusals.add(listener);

/** A path with its query; what is null, undefined or empty is left out, arrays are repeated. */
export function withQuery(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") parameters.append(name, String(one));
    }
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * Send a request; returns the JSON of its answer, or the Response with `raw`.
 * Throws ApiError. An aborted request throws the browser's AbortError.
 */
export async function request(method, path, { query, body, headers = {}, signal, raw = false } = {}) {
  const isFile = body instanceof Blob;
  let response;
  try {
    response = await fetch(withQuery(path, query), {
      method,
      signal,
      headers: body === undefined || isFile ? headers : { "Content-Type": "application/json", ...headers },
      body: body === undefined || isFile ? body : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("unreachable", 0, t("shell.unreachable"));
  }
  if (response.ok) {
    if (raw) return response;
    return response.status === 204 ? null : response.json();
  }
  const answer = await response.json().catch(() => ({}));
  const code = answer.error?.code ?? "unknown";
  const sentence = answer.response || t("shell.failed", { status: response.status });
  const error = new ApiError(code, response.status, sentence, answer.error?.message ?? "", answer);
  if (response.status === 401) for (const listener of refusals) listener(error);
  throw error;
}

export const get = (path, query, options) => request("GET", path, { ...options, query });
export const post = (path, body = {}, options) => request("POST", path, { ...options, body });
export const put = (path, body, options) => request("PUT", path, { ...options, body });
export const patch = (path, body, options) => request("PATCH", path, { ...options, body });
export const del = (path, options) => request("DELETE", path, options);
