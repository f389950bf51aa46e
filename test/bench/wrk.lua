-- What wrk sends and reports. Arguments: method, token, file of paths, file of body parts or "-", first number.
local method, head, parts, number
local paths = {}

function init(args)
  method, number = args[1], tonumber(args[5])
  head = ' HTTP/1.1\r\nHost: ' .. wrk.headers['Host'] .. '\r\nAuthorization: Bearer ' .. args[2] .. '\r\n'
  for path in io.lines(args[3]) do paths[#paths + 1] = path end
  if args[4] ~= '-' then
    parts = {}
    for part in io.lines(args[4]) do parts[#parts + 1] = part end
    head = head .. 'Content-Type: application/json\r\nContent-Length: '
  end
end

function request()
  local line = method .. ' ' .. paths[math.random(#paths)] .. head
  if not parts then return line .. '\r\n' end
  number = number + 1
  local body = table.concat(parts, string.format('%.0f', number))
  return line .. #body .. '\r\n\r\n' .. body
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99)))
  io.write(string.format('"failures":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\n',
    errors.connect, errors.read, errors.write, errors.status, errors.timeout))
end
